import type { Metadata, Part, StreamResponse, TaskState } from "@parley/a2a";

const names = { taskId: "t1", contextId: "c1" };
let count = 0;

/** A piece of an artifact. */
export function piece(
  artifactId: string,
  content: string | readonly Part[],
  about: {
    name?: string;
    append?: boolean;
    lastChunk?: boolean;
    description?: string;
    metadata?: Metadata;
  } = {},
): StreamResponse {
  const { append = false, lastChunk = false, ...head } = about;
  const parts = typeof content === "string" ? [{ text: content }] : content;
  return { artifactUpdate: { ...names, artifact: { artifactId, parts, ...head }, append, lastChunk } };
}

/** A status, with a message where there are words. */
export function status(
  state: "WORKING" | "COMPLETED" | "FAILED" | "INPUT_REQUIRED" | "SUBMITTED",
  content: string | readonly Part[] = [],
  metadata?: Metadata,
): StreamResponse {
  const parts = typeof content === "string" ? [{ text: content }] : content;
  const message = { messageId: `m${++count}`, role: "ROLE_AGENT", parts } as const;
  const said = { state: `TASK_STATE_${state}` as TaskState, timestamp: "2026-01-01T00:00:00.000Z" };
  const full = parts.length > 0 ? { ...said, message } : said;
  return { statusUpdate: { ...names, status: full, ...(metadata && { metadata }) } };
}

/** The whole task, as an agent shows it to who asks. */
export function task(
  state: "WORKING" | "COMPLETED",
  artifacts: readonly { artifactId: string; name?: string; parts: readonly Part[] }[],
): StreamResponse {
  const full = { state: `TASK_STATE_${state}` as TaskState, timestamp: "2026-01-01T00:00:00.000Z" };
  return { task: { id: "t1", contextId: "c1", status: full, artifacts } };
}
