import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import type { EventOf } from "@parley/sessions";
import { z } from "zod";
import { argumentsText } from "./approval-form.ts";
import { artifactContent } from "./artifact-content.ts";
import { fileUri, sessionUri } from "./resource-uris.ts";
import type { RunProgress } from "./run-progress.ts";

/** What the tools that ask an agent answer with, for programs. */
export const answerSchema = z.object({
  answer: z.string().describe("What the agent said, whole"),
  session: z.string().describe("Pass it as `session` to go on with this conversation"),
  run: z.string(),
  state: z
    .enum(["completed", "failed", "cancelled", "waiting"])
    .describe("waiting: a person has to answer one of `approvals` first"),
  page: z.string().describe("The conversation in a browser"),
  reason: z.string().optional(),
  approvals: z
    .array(
      z.object({
        approval: z.string(),
        question: z.string(),
        agent: z.string().optional(),
        tool: z.string().optional(),
        arguments: z.unknown().optional(),
      }),
    )
    .optional(),
});

type Answer = z.infer<typeof answerSchema>;

/** Where an answer belongs, and what its reader can take. */
export interface AnswerFrame {
  readonly sessionId: string;
  readonly runId: string;
  readonly page: string;
  /** Its revision has links to resources. */
  readonly takesLinks: boolean;
}

/**
 * What has become of a run, as the result of the tool that began it. The first block is the answer byte for byte, where
 * there is one; what else there is to say stands in blocks of its own.
 */
export function runAnswer(
  encoder: RunProgress,
  { sessionId, runId, page, takesLinks }: AnswerFrame,
): CallToolResult {
  const { end, questions } = encoder;
  const state = stateOf(end);
  const answer = end?.content ?? "";
  const reason = end?.reason;
  const structured: Answer = {
    ...{ answer, session: sessionId, run: runId, state, page, reason },
    ...(state === "waiting" && { approvals: questions.map(approvalView) }),
  };
  const said = [
    ...(answer === "" ? [] : [answer]),
    ...(state === "waiting" ? [waitingText(sessionId, page, questions)] : []),
    ...(state === "failed" ? [`It failed: ${reason ?? "no reason was given"}. ${AGAIN}`] : []),
    ...(state === "cancelled" ? [`It was cancelled: ${reason ?? "no reason was given"}. ${AGAIN}`] : []),
  ];
  const content: ContentBlock[] = [
    ...(said.length > 0 ? said : [""]).map((text) => ({ type: "text" as const, text })),
    ...encoder.artifacts.flatMap((artifact) => artifactContent(artifact, { sessionId, takesLinks, fileUri })),
    sessionBlock(sessionId, page, takesLinks),
  ];
  const isError = state === "failed" || state === "cancelled";
  return { content, structuredContent: { ...structured }, ...(isError && { isError }) };
}

const AGAIN = "What was said is kept: ask again in the same session, or read it there";

function stateOf(end: RunProgress["end"]): Answer["state"] {
  if (!end) return "waiting";
  return end.type === "agent_cancelled" ? "cancelled" : end.state;
}

function approvalView(asked: EventOf<"approval_requested">): NonNullable<Answer["approvals"]>[number] {
  const { approvalId: approval, question, agent, tool, arguments: given } = asked;
  return { approval, question, agent, tool, arguments: given };
}

function waitingText(
  sessionId: string,
  page: string,
  questions: readonly EventOf<"approval_requested">[],
): string {
  const asked = questions.map((one) => {
    const what = one.tool === undefined ? "" : `\n${one.tool} ${argumentsText(one)}`;
    return `- ${one.question} (approval ${one.approvalId})${what}`;
  });
  return [
    "This waits for a person. Ask them, and do not decide for them:",
    ...asked,
    `Then call answer_approval with session ${sessionId}, or let them answer at ${page}`,
  ].join("\n");
}

function sessionBlock(sessionId: string, page: string, takesLinks: boolean): ContentBlock {
  const hint = `Session ${sessionId}: pass it as "session" to go on with this conversation. In a browser: ${page}`;
  if (!takesLinks) return { type: "text", text: hint };
  return {
    ...{ type: "resource_link", uri: sessionUri(sessionId), name: sessionId, description: hint },
    mimeType: "text/markdown",
  };
}
