import type { Artifact, Message, Part, StreamResponse, Task, TaskState } from "@parley/a2a";
import type * as legacy from "a2a-sdk-legacy";

/** A request of v1.0 as the SDK 0.3.14 takes it. */
export function toLegacyMessage(message: Message): legacy.Message {
  const { role, parts, contextId, taskId, metadata } = message;
  return {
    kind: "message",
    messageId: message.messageId,
    role: role === "ROLE_USER" ? "user" : "agent",
    parts: parts.map(toLegacyPart),
    ...(contextId && { contextId }),
    ...(taskId && { taskId }),
    ...(metadata && { metadata }),
  };
}

function toLegacyPart({ text, raw, url, data, filename, mediaType }: Part): legacy.Part {
  const described = { ...(filename && { name: filename }), ...(mediaType && { mimeType: mediaType }) };
  if (text !== undefined) return { kind: "text", text };
  if (raw !== undefined) return { kind: "file", file: { bytes: raw, ...described } };
  if (url !== undefined) return { kind: "file", file: { uri: url, ...described } };
  return { kind: "data", data: data as Record<string, unknown> };
}

/** A task of the SDK 0.3.14 as our model has it. */
export function fromLegacyTask({ id, contextId, status, artifacts, history, metadata }: legacy.Task): Task {
  return {
    id,
    contextId,
    status: fromLegacyStatus(status),
    ...(artifacts && { artifacts: artifacts.map(fromLegacyArtifact) }),
    ...(history && { history: history.map(fromLegacyMessage) }),
    ...(metadata && { metadata: metadata as NonNullable<Task["metadata"]> }),
  };
}

/** A message of the SDK 0.3.14 as our model has it. */
export function fromLegacyMessage({
  messageId,
  role,
  parts,
  contextId,
  taskId,
  metadata,
}: legacy.Message): Message {
  return {
    messageId,
    role: role === "user" ? "ROLE_USER" : "ROLE_AGENT",
    parts: parts.map(fromLegacyPart),
    ...(contextId && { contextId }),
    ...(taskId && { taskId }),
    ...(metadata && { metadata: metadata as NonNullable<Message["metadata"]> }),
  };
}

/** An event of the SDK 0.3.14 as our model has it. */
export function fromLegacyEvent(
  event: legacy.Task | legacy.Message | legacy.TaskStatusUpdateEvent | legacy.TaskArtifactUpdateEvent,
): StreamResponse {
  switch (event.kind) {
    case "task":
      return { task: fromLegacyTask(event) };
    case "message":
      return { message: fromLegacyMessage(event) };
    case "status-update": {
      const { taskId, contextId, status } = event;
      return { statusUpdate: { taskId, contextId, status: fromLegacyStatus(status) } };
    }
    case "artifact-update": {
      const { taskId, contextId, artifact } = event;
      return { artifactUpdate: { taskId, contextId, artifact: fromLegacyArtifact(artifact) } };
    }
  }
}

function fromLegacyStatus({ state, message, timestamp = "" }: legacy.TaskStatus): Task["status"] {
  const name = `TASK_STATE_${state.toUpperCase().replace("-", "_")}` as TaskState;
  return { state: name, timestamp, ...(message && { message: fromLegacyMessage(message) }) };
}

function fromLegacyArtifact({ artifactId, name, parts }: legacy.Artifact): Artifact {
  return { artifactId, parts: parts.map(fromLegacyPart), ...(name && { name }) };
}

function fromLegacyPart(part: legacy.Part): Part {
  if (part.kind === "text") return { text: part.text };
  if (part.kind === "data") return { data: part.data as NonNullable<Part["data"]> };
  const { name, mimeType } = part.file;
  const content = "bytes" in part.file ? { raw: part.file.bytes } : { url: part.file.uri };
  return { ...content, ...(name && { filename: name }), ...(mimeType && { mediaType: mimeType }) };
}
