import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import type { EventOf } from "@parley/sessions";
import { z } from "zod";
import { argumentsText } from "./approval-form.ts";
import type { RunProgress } from "./run-progress.ts";
import { fileUri, sessionUri } from "./session-resources.ts";

/** The structured result of the tools that ask an agent. */
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

/** The session of an answer, and what its client supports. */
export interface AnswerFrame {
  readonly sessionId: string;
  readonly runId: string;
  readonly page: string;
  /** Whether its revision has resource links. */
  readonly takesLinks: boolean;
}

/**
 * A run as the result of the tool that started it. The first block is exactly the answer, where there is one;
 * everything else is in blocks of its own.
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

/** A part of an artifact: text, Base64, data, a link, or a stored file. */
const part = z.looseObject({
  text: z.string().optional(),
  raw: z.string().optional(),
  data: z.unknown().optional(),
  url: z.string().optional(),
  blob: z.string().optional(),
  filename: z.string().optional(),
  mediaType: z.string().optional(),
});

interface ArtifactOptions {
  readonly sessionId: string;
  readonly takesLinks: boolean;
  readonly fileUri: (blob: string) => string;
}

/** An artifact as content blocks. */
function artifactContent(
  { artifactId, name, parts }: EventOf<"agent_artifact">,
  { sessionId, takesLinks, fileUri }: ArtifactOptions,
): ContentBlock[] {
  return parts.flatMap((given, place) => {
    const { success, data: known } = part.safeParse(given);
    if (!success) return [];
    const { text, raw, data, url, blob, mediaType = "application/octet-stream" } = known;
    const title = known.filename ?? name ?? artifactId;
    const uri = `${sessionUri(sessionId)}/artifacts/${encodeURIComponent(artifactId)}/${place}`;
    // Agents use either alphabet of Base64; clients accept the standard one only.
    if (raw !== undefined) return [embedded(uri, mediaType, Buffer.from(raw, "base64").toString("base64"))];
    if (blob !== undefined || url !== undefined)
      return [linked(blob === undefined ? String(url) : fileUri(blob), title, mediaType, takesLinks)];
    if (data !== undefined)
      return [
        { type: "resource", resource: { uri, mimeType: "application/json", text: JSON.stringify(data) } },
      ];
    return text === undefined ? [] : [{ type: "text", text }];
  });
}

function embedded(uri: string, mimeType: string, raw: string): ContentBlock {
  if (mimeType.startsWith("image/")) return { type: "image", data: raw, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data: raw, mimeType };
  return { type: "resource", resource: { uri, mimeType, blob: raw } };
}

function linked(uri: string, name: string, mimeType: string, takesLinks: boolean): ContentBlock {
  return takesLinks
    ? { type: "resource_link", uri, name, mimeType }
    : { type: "text", text: `${name}: ${uri}` };
}
