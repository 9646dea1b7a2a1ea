import {
  roleFromJSON,
  type Artifact as SdkArtifact,
  type Message as SdkMessage,
  type Part as SdkPart,
  type StreamResponse as SdkStreamResponse,
  type Task as SdkTask,
  type TaskStatus as SdkTaskStatus,
  taskStateFromJSON,
} from "@a2a-js/sdk";
import type { Artifact, Message, Part, StreamResponse, Task, TaskStatus } from "../../protocol/model.ts";

// The SDK's own `fromJSON` loses a part whose data is null, and is slow for something every token passes through.

/** A task as the SDK's generated code has it: every member there, the missing ones empty. */
export function toSdkTask(task: Task): SdkTask {
  return {
    id: task.id,
    contextId: task.contextId,
    status: toSdkStatus(task.status),
    artifacts: (task.artifacts ?? []).map(toSdkArtifact),
    history: (task.history ?? []).map(toSdkMessage),
    metadata: task.metadata,
  };
}

/** A message as the SDK's generated code has it. */
export function toSdkMessage(message: Message): SdkMessage {
  return {
    messageId: message.messageId,
    contextId: message.contextId ?? "",
    taskId: message.taskId ?? "",
    role: roleFromJSON(message.role),
    parts: message.parts.map(toSdkPart),
    metadata: message.metadata,
    extensions: [...(message.extensions ?? [])],
    referenceTaskIds: [...(message.referenceTaskIds ?? [])],
  };
}

/** An event of a stream as the SDK's generated code has it. */
export function toSdkEvent(event: StreamResponse): SdkStreamResponse {
  if ("artifactUpdate" in event) {
    const { taskId, contextId, artifact, append = false, lastChunk = false, metadata } = event.artifactUpdate;
    const value = { taskId, contextId, artifact: toSdkArtifact(artifact), append, lastChunk, metadata };
    return { payload: { $case: "artifactUpdate", value } };
  }
  if ("statusUpdate" in event) {
    const { taskId, contextId, status, metadata } = event.statusUpdate;
    const value = { taskId, contextId, status: toSdkStatus(status), metadata };
    return { payload: { $case: "statusUpdate", value } };
  }
  return "task" in event
    ? { payload: { $case: "task", value: toSdkTask(event.task) } }
    : { payload: { $case: "message", value: toSdkMessage(event.message) } };
}

function toSdkStatus({ state, message, timestamp }: TaskStatus): SdkTaskStatus {
  return { state: taskStateFromJSON(state), message: message && toSdkMessage(message), timestamp };
}

function toSdkArtifact(artifact: Artifact): SdkArtifact {
  return {
    artifactId: artifact.artifactId,
    name: artifact.name ?? "",
    description: artifact.description ?? "",
    parts: artifact.parts.map(toSdkPart),
    metadata: artifact.metadata,
    extensions: [...(artifact.extensions ?? [])],
  };
}

function toSdkPart(part: Part): SdkPart {
  return {
    content: contentOf(part),
    metadata: part.metadata,
    filename: part.filename ?? "",
    mediaType: part.mediaType ?? "",
  };
}

function contentOf({ text, raw, url, data = null }: Part): NonNullable<SdkPart["content"]> {
  if (text !== undefined) return { $case: "text", value: text };
  if (raw !== undefined) return { $case: "raw", value: Buffer.from(raw, "base64") };
  if (url !== undefined) return { $case: "url", value: url };
  return { $case: "data", value: data };
}
