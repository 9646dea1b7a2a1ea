import { RUN_EXTENSION } from "../extension/extension-member.ts";
import { isObject } from "../protocol/model.ts";
import type { CheckedDialect } from "./stream-report.ts";

/** A piece of an artifact, or a whole one. */
export interface ReadArtifact {
  /** Undefined when it has none; v0.1 counts its artifacts instead. */
  readonly artifactId: string | undefined;
  /** Its id in the newer dialects, where our v0.1 carries it. */
  readonly carriedId: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
  /** Of its parts; one that names none is of the usual type of its kind. */
  readonly mediaTypes: readonly string[];
  readonly append: boolean;
  readonly lastChunk: boolean;
  /** The artifact that it repeats, if its metadata says so. */
  readonly snapshotOf: string | undefined;
}

interface InTask {
  readonly dialect: CheckedDialect;
  readonly taskId: string | undefined;
  /** v0.1 has none in its events. */
  readonly contextId: string | undefined;
}

/** An event as any dialect shows it; states in the old spelling. */
export type ReadEvent =
  | (InTask & { readonly kind: "task"; readonly state: string; readonly artifacts: readonly ReadArtifact[] })
  | (InTask & { readonly kind: "status"; readonly state: string; readonly final: boolean | undefined })
  | (InTask & { readonly kind: "artifact"; readonly artifact: ReadArtifact })
  | { readonly kind: "message"; readonly dialect: CheckedDialect }
  | { readonly kind: "error"; readonly detail: string }
  | { readonly kind: "unreadable"; readonly detail: string };

type Fields = { readonly [name: string]: unknown };

/** Reads the data of a frame, in an envelope of JSON-RPC or without one; never throws. */
export function readEvent(data: string): ReadEvent {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return unreadable(data);
  }
  if (!isObject(value)) return unreadable(data);
  if (isObject(value.error)) return { kind: "error", detail: String(value.error.message) };
  const result = "jsonrpc" in value ? value.result : value;
  return (isObject(result) && readResult(result)) || unreadable(data);
}

function readResult(result: Fields): ReadEvent | undefined {
  const { kind, task, message, statusUpdate, artifactUpdate } = result;
  if (isObject(task)) return readTask("1.0", task);
  if (isObject(statusUpdate)) return readStatus("1.0", statusUpdate.taskId, statusUpdate);
  if (isObject(artifactUpdate)) return readArtifactUpdate(artifactUpdate, "1.0");
  if (isObject(message)) return { kind: "message", dialect: "1.0" };
  switch (kind) {
    case "task":
      return readTask("0.3", result);
    case "status-update":
      return readStatus("0.3", result.taskId, result);
    case "artifact-update":
      return readArtifactUpdate(result, "0.3");
    case "message":
      return { kind: "message", dialect: "0.3" };
    case undefined:
      return readFirst(result);
    default:
      return undefined;
  }
}

/** v0.1: bare, with the flags inside the artifact and a number for its id. */
function readFirst(result: Fields): ReadEvent | undefined {
  const { id, status, artifact } = result;
  if (isObject(status)) return readStatus("0.1", id, result);
  if (!isObject(artifact)) return undefined;
  const read = readArtifact({ ...artifact, artifactId: String(artifact.index ?? 0) }, artifact);
  return {
    kind: "artifact",
    dialect: "0.1",
    taskId: textOrNothing(id),
    contextId: undefined,
    artifact: read,
  };
}

function readTask(dialect: CheckedDialect, task: Fields): ReadEvent | undefined {
  const { id, status, artifacts } = task;
  if (!isObject(status)) return undefined;
  const read = listOf(artifacts).map((it) => readArtifact(it, {}));
  return { kind: "task", dialect, ...namesIn(id, task), state: stateName(status), artifacts: read };
}

function readStatus(dialect: CheckedDialect, taskId: unknown, update: Fields): ReadEvent | undefined {
  const { status, final } = update;
  if (!isObject(status)) return undefined;
  const flag = typeof final === "boolean" ? final : undefined;
  return { kind: "status", dialect, ...namesIn(taskId, update), state: stateName(status), final: flag };
}

function readArtifactUpdate(update: Fields, dialect: CheckedDialect): ReadEvent | undefined {
  const { taskId, artifact } = update;
  if (!isObject(artifact)) return undefined;
  return { kind: "artifact", dialect, ...namesIn(taskId, update), artifact: readArtifact(artifact, update) };
}

function namesIn(taskId: unknown, { contextId }: Fields): Omit<InTask, "dialect"> {
  return { taskId: textOrNothing(taskId), contextId: textOrNothing(contextId) };
}

function readArtifact(artifact: Fields, update: Fields): ReadArtifact {
  const parts = listOf(artifact.parts);
  const texts = parts.map(({ text }) => (typeof text === "string" ? text : ""));
  return {
    artifactId: textOrNothing(artifact.artifactId),
    carriedId: textOrNothing(fieldsIn(extensionIn(artifact.metadata).carried).artifactId),
    name: textOrNothing(artifact.name),
    text: texts.join(""),
    mediaTypes: parts.map(mediaTypeOf),
    append: update.append === true,
    lastChunk: update.lastChunk === true,
    snapshotOf: snapshotIn(artifact.metadata) ?? snapshotIn(update.metadata),
  };
}

function mediaTypeOf({ mediaType, metadata, file, text, data }: Fields): string {
  const named = [mediaType, fieldsIn(file).mimeType, fieldsIn(metadata).mimeType].find(textOrNothing);
  if (named !== undefined) return String(named);
  if (text !== undefined) return "text/plain";
  return data === undefined ? "application/octet-stream" : "application/json";
}

function snapshotIn(metadata: unknown): string | undefined {
  return textOrNothing(fieldsIn(extensionIn(metadata).snapshot).artifactId);
}

function extensionIn(metadata: unknown): Fields {
  return fieldsIn(fieldsIn(metadata)[RUN_EXTENSION]);
}

// v0.3 over REST writes `CANCELLED`.
function stateName({ state }: Fields): string {
  const name = String(state).replace("TASK_STATE_", "").toLowerCase().replace("_", "-");
  return name === "cancelled" ? "canceled" : name;
}

function unreadable(data: string): ReadEvent {
  return { kind: "unreadable", detail: data.slice(0, 100) };
}

function fieldsIn(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textOrNothing(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
