import type { SseFrame } from "./sse-frames.ts";

/** A task as any dialect shows it. */
export interface SeenTask {
  readonly id: string;
  readonly contextId: string | undefined;
  /** In the old spelling: `input-required`. */
  readonly state: string;
  /** What the status says. */
  readonly says: string;
  readonly timestamp: string | undefined;
  /** The text of each artifact. */
  readonly artifacts: readonly string[];
  /** The text of each message. */
  readonly history: readonly string[];
  readonly metadata: unknown;
}

/** The outcome of a call. */
export interface Outcome {
  readonly task?: SeenTask;
  readonly message?: string;
  readonly error?: number | undefined;
}

/** An event of a stream as any dialect shows it; `raw` is what came. */
export interface SeenEvent {
  readonly kind: "task" | "message" | "status" | "artifact" | "refused" | "error";
  readonly index: string | undefined;
  readonly raw: unknown;
  readonly task?: SeenTask;
  readonly state?: string;
  /** The artifact's name and, where the dialect has one, its id. */
  readonly artifact?: {
    readonly key: string;
    readonly text: string;
    readonly append: boolean;
    readonly last: boolean;
  };
  readonly error?: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads a result as a task or a message. */
export function seenTask(result: unknown): Outcome {
  const { task, message, kind } = result as { task?: Fields; message?: Fields; kind?: string };
  if (message) return { message: textOfParts(message.parts) };
  if (kind === "message") return { message: textOfParts((result as Fields).parts) };
  return { task: readTask(task ?? (result as Fields)) };
}

/** Reads the frames of a stream. */
export async function* seenEvents(frames: AsyncIterable<SseFrame>): AsyncGenerator<SeenEvent, void, void> {
  for await (const { id, data } of frames) {
    const { jsonrpc, result, error } = data as {
      jsonrpc?: string;
      result?: unknown;
      error?: { code: number };
    };
    if (error) yield { kind: "error", index: id, raw: data, error: error.code };
    else yield { ...readEvent((jsonrpc ? result : data) as Fields), index: id, raw: data };
  }
}

/** All events up to the end of the stream. */
export async function collect(events: AsyncIterable<SeenEvent>): Promise<SeenEvent[]> {
  const all: SeenEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** The task whose stream begins with this event. */
export function taskIdIn(first: SeenEvent | undefined): string {
  const raw = first?.raw as { result?: { id?: string } } | undefined;
  return first?.task?.id ?? String(raw?.result?.id);
}

/** The texts of artifacts as a client joins them from events: append extends, anything else replaces. */
export function joined(events: readonly SeenEvent[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const { artifact } of events) {
    if (artifact) texts[artifact.key] = (artifact.append ? (texts[artifact.key] ?? "") : "") + artifact.text;
  }
  return texts;
}

function readEvent(event: Fields): Omit<SeenEvent, "index" | "raw"> {
  const update = (event.statusUpdate ?? event.artifactUpdate ?? event) as Fields;
  if (event.message || event.kind === "message") return { kind: "message" };
  if (event.task || event.kind === "task")
    return { kind: "task", task: readTask((event.task ?? event) as Fields) };
  const artifact = update.artifact as Fields | undefined;
  if (!artifact) return { kind: "status", state: readState((update.status as Fields).state) };
  // v0.1 has the flags inside, and a number for an id.
  const { append = false, lastChunk = false } = (update.append === undefined ? artifact : update) as {
    append?: boolean;
    lastChunk?: boolean;
  };
  const key = String(artifact.artifactId ?? artifact.index);
  return { kind: "artifact", artifact: { key, text: textOfParts(artifact.parts), append, last: lastChunk } };
}

function readTask(task: Fields): SeenTask {
  const status = task.status as Fields;
  const list = (value: unknown) => (value ?? []) as Fields[];
  return {
    id: String(task.id),
    contextId: (task.contextId ?? task.sessionId) as string | undefined,
    state: readState(status.state),
    says: textOfParts((status.message as Fields | undefined)?.parts),
    timestamp: status.timestamp as string | undefined,
    artifacts: list(task.artifacts).map(({ parts }) => textOfParts(parts)),
    history: list(task.history).map(({ parts }) => textOfParts(parts)),
    metadata: task.metadata,
  };
}

function readState(state: unknown): string {
  return String(state).replace("TASK_STATE_", "").toLowerCase().replace("_", "-");
}

function textOfParts(parts: unknown): string {
  return ((parts ?? []) as { text?: string }[]).map(({ text = "" }) => text).join("");
}
