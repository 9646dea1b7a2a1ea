import type { Json, Part } from "@parley/a2a";
import type { JsonObject } from "./peer.ts";

const TIME = "2026-01-01T00:00:00Z";

/** The task that events are about. */
export interface ScriptedNames {
  readonly taskId: string;
  readonly contextId: string;
}

/** The options of a chunk; a whole artifact `result` by default. */
interface ScriptedPiece {
  /** "" leaves it out. */
  readonly artifactId?: string;
  readonly name?: string;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  readonly metadata?: JsonObject;
}

/** The events of one task in v1.0, for the steps of a scripted peer. */
export interface ScriptedEvents extends ScriptedNames {
  task(state?: string): { readonly event: Json };
  status(state: string): { readonly event: Json };
  piece(content: string | readonly Part[], piece?: ScriptedPiece): { readonly event: Json };
  /** The task as it is kept, with the texts of these artifacts. */
  record(state: string, texts?: Readonly<Record<string, string>>): Json;
}

/** Events of the task with these names. */
export function scriptedEvents({ taskId, contextId }: ScriptedNames): ScriptedEvents {
  const names = { taskId, contextId };
  const statusOf = (state: string) => ({ state: `TASK_STATE_${state}`, timestamp: TIME });
  const record = (state: string, texts: Readonly<Record<string, string>> = {}) => {
    const artifacts = Object.entries(texts).map(([artifactId, text]) => ({ artifactId, parts: [{ text }] }));
    return { id: taskId, contextId, status: statusOf(state), artifacts };
  };
  return {
    ...names,
    record,
    task: (state = "SUBMITTED") => ({ event: { task: record(state) } }),
    status: (state) => ({ event: { statusUpdate: { ...names, status: statusOf(state) } } }),
    piece(content, { artifactId = "result", name, append = false, lastChunk = false, metadata } = {}) {
      const parts = typeof content === "string" ? [{ text: content }] : content;
      const artifact = { artifactId: artifactId || undefined, name, parts, metadata };
      const artifactUpdate = { ...names, artifact, append, lastChunk };
      return { event: JSON.parse(JSON.stringify({ artifactUpdate })) };
    },
  };
}
