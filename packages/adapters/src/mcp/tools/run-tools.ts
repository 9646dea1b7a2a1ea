import { activeRun, CommandRefusedError } from "@parley/sessions";
import { z } from "zod";
import { answerApproval } from "../../conversations/approval-answers.ts";
import { commandIds, keyed } from "../../conversations/command-ids.ts";
import { onlyOne, openSession } from "../../conversations/session-reading.ts";
import { followFromStart } from "../../followed-run.ts";
import { callKey } from "../call-tokens.ts";
import { cancelRun } from "../cancel-call.ts";
import { pageOf, type ToolOutcome } from "../mcp-caller.ts";
import { answerSchema } from "../run-answer.ts";
import { mcpTool, sessionArgument } from "./mcp-tool.ts";

const DECISIONS = { approve: "approved", deny: "denied", answer: "answered" } as const;

/** The tool that waits for the answer of the active or last run, after a timeout. */
export const awaitAnswer = mcpTool({
  ...{ name: "await_answer", title: "Wait for an answer", output: answerSchema },
  description:
    "Waits for the answer of the agent that is at work in a conversation, or gives the last one again. Use it when an earlier call timed out: the agent is still at work then, and this asks nothing anew.",
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({
    session: sessionArgument
      .optional()
      .describe("The session's id. Without it, the conversation in which an agent was asked last"),
  }),
  async run({ host, principal }, { session }) {
    const [latest] = session === undefined ? await host.sessions.runs(principal, { limit: 1 }) : [];
    const state = await openSession(host.sessions, principal, session ?? latest?.sessionId ?? "none");
    const run = activeRun(state) ?? [...state.runs.values()].at(-1);
    if (!run) throw new CommandRefusedError("not_found", "Nobody was asked anything in this session yet");
    return followFromStart(host.sessions, principal, state, run.id);
  },
});

/** The tool that answers an approval, for clients that cannot show a form. */
export const answerApprovalTool = mcpTool({
  ...{ name: "answer_approval", title: "Answer what an agent asked", output: answerSchema },
  description:
    "Passes on what a person decided about a call that an agent wants to make, or what they answer to its question; then waits for the agent's answer. Only with the person's own words: never decide for them.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    session: sessionArgument,
    approval: z.string().min(1).max(300).describe("The approval's id, as the earlier result named it"),
    decision: z.enum(["approve", "deny", "answer"]).describe("answer: for a question, with `text`"),
    text: z.string().max(100_000).optional().describe("What the person says with it"),
    arguments: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("In place of those that were asked about, where the person changed them"),
  }),
  async run({ host, principal }, { session, approval, decision: said, text, arguments: given }) {
    const decision = DECISIONS[said];
    const state = await openSession(host.sessions, principal, session);
    const asked = state.approvals.get(approval);
    if (!asked) throw new CommandRefusedError("not_found", `There is no approval ${approval}`);
    const answer = { approvalId: approval, decision, text, arguments: given };
    // A repeated answer is accepted: its caller may have been disconnected.
    const accepts = (earlier: { readonly decision: string }) => earlier.decision === decision;
    const { refused } = await answerApproval(host.sessions, principal, state, answer, { accepts });
    if (refused) throw refused;
    const followed = await followFromStart(host.sessions, principal, state, asked.runId);
    return { ...followed, messageId: state.runs.get(asked.runId)?.messageId };
  },
});

/** The tool that cancels the active run. */
export const cancelTool = mcpTool({
  ...{ name: "cancel_run", title: "Stop an agent" },
  description: "Stops the agent that is at work in a conversation. What it has said so far is kept.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ session: sessionArgument }),
  async run(caller, { session }) {
    const state = await openSession(caller.host.sessions, caller.principal, session);
    const run = activeRun(state);
    if (!run) return textResult("No agent is at work there");
    await cancelRun(caller, { sessionId: state.id, runId: run.id });
    return textResult(`${run.agent} was stopped`);
  },
});

const forked = z.object({ session: z.string(), page: z.string(), messages: z.int() });

/** The tool that forks a session. */
export const forkSession = mcpTool({
  ...{ name: "fork_session", title: "Fork a conversation", output: forked },
  description:
    "Makes a new conversation that begins with the messages of another, up to one of them or all. The other one stays as it is.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({
    session: sessionArgument,
    message: z.string().min(1).max(150).optional().describe("The id of the last message to take along"),
  }),
  async run(caller, { session, message }, call) {
    const { host, principal } = caller;
    const key = callKey(caller.client, call, ["fork", session, message]);
    const ids = commandIds(principal, `fork:${session}`, { key });
    const at = message === undefined ? "end" : { messageId: message };
    const command = { type: "fork", at, fork: { childId: ids.id("ses") } } as const;
    const { children } = await host.sessions.execute(principal, session, command, keyed(ids, { message }));
    const { id, messages } = onlyOne(children);
    const structuredContent = { session: id, page: pageOf(caller, id), messages: messages.length };
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  },
});

function textResult(text: string): ToolOutcome {
  return { content: [{ type: "text", text }] };
}
