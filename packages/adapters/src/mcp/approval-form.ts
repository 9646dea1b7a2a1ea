import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import { isObject } from "@parley/a2a";
import { CommandRefusedError, type EventOf } from "@parley/sessions";
import { z } from "zod";
import { type ApprovalAnswer, answerApproval } from "../conversations/approval-answers.ts";
import { Problem } from "../problem.ts";
import type { McpCaller } from "./mcp-caller.ts";
import { McpError } from "./mcp-error.ts";

type Asked = EventOf<"approval_requested">;
type Answer = Omit<ApprovalAnswer, "approvalId">;

/** A user's answer to a form; clients fill in empty fields in different ways. */
export const elicited = z.looseObject({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z
    .looseObject({
      decision: z.enum(["approve", "deny"]).optional().catch(undefined),
      text: z.string().optional().catch(undefined),
      arguments: z.unknown().optional(),
    })
    .nullish()
    .catch(undefined),
});

/** The question as a form that a client shows to its user; `page` is where it can be answered as well. */
export function approvalForm(asked: Asked, page: string): ElicitRequestFormParams {
  const { question, tool, agent } = asked;
  const who = agent === undefined ? "" : `${agent}: `;
  const message = `${who}${question}\n\n${tool === undefined ? "" : `${argumentsText(asked)}\n\n`}${page}`;
  const text = { type: "string", title: "What you want to say with it" } as const;
  if (tool === undefined)
    return {
      ...{ mode: "form", message },
      requestedSchema: {
        type: "object",
        properties: { text: { ...text, title: "Your answer" } },
        required: ["text"],
      },
    };
  return {
    ...{ mode: "form", message },
    requestedSchema: {
      type: "object",
      properties: {
        decision: { type: "string", title: `May ${tool} be called?`, enum: ["approve", "deny"] },
        text,
        arguments: {
          type: "string",
          title: "Other arguments, as JSON",
          description: "Leave it empty to call it with those that are shown",
        },
      },
      required: ["decision"],
    },
  };
}

/**
 * What the answer to a form decides. Anything but a clear yes is a no: a dismissed form, or arguments that cannot be
 * parsed, must neither let a tool be called nor leave its caller waiting.
 */
export function answerInForm(
  { tool }: Pick<Asked, "tool">,
  { action, content }: z.infer<typeof elicited>,
): Answer {
  const { decision, text, arguments: given } = content ?? {};
  const note = text === undefined || text === "" ? {} : { text };
  if (action === "cancel") return { decision: "denied", text: "The question was put away without an answer" };
  if (action === "decline") return { decision: "denied", ...note };
  if (tool === undefined) return { decision: "answered", text: text ?? "" };
  if (decision !== "approve") return { decision: "denied", ...note };
  if (given === undefined || given === null || (typeof given === "string" && given.trim() === ""))
    return { decision: "approved", ...note };
  const other = objectIn(given);
  if (other === undefined)
    return { decision: "denied", text: "The arguments that were given instead are not an object of JSON" };
  return { decision: "approved", ...note, arguments: other };
}

/** The arguments as indented JSON. */
export function argumentsText({ arguments: given }: Pick<Asked, "arguments">): string {
  return JSON.stringify(given ?? {}, null, 2);
}

function objectIn(given: unknown): object | undefined {
  try {
    const value: unknown = typeof given === "string" ? JSON.parse(given) : given;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Records a user's answer to a form; a question that is answered already keeps its answer. */
export async function answerForm(
  { host, principal, identity }: McpCaller,
  { sessionId, approvalId }: { readonly sessionId: string; readonly approvalId: string },
  given: unknown,
): Promise<void> {
  if (identity.role === "viewer")
    throw new Problem("forbidden", "Viewers only read: somebody else has to answer");
  const { success, data, error } = elicited.safeParse(given);
  if (!success) {
    const [issue] = error.issues;
    throw new McpError(-32_602, `${issue?.path.join(".")}: ${issue?.message}`, { status: 400 });
  }
  const state = await host.sessions.state(principal, sessionId);
  const asked = state.approvals.get(approvalId);
  if (!asked) throw new CommandRefusedError("not_found", `There is no approval ${approvalId}`);
  const answer = { approvalId, ...answerInForm(asked.request, data) };
  await answerApproval(host.sessions, principal, state, answer);
}
