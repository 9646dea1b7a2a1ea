import type {
  Artifact,
  Json,
  Message,
  PushConfig,
  StreamResponse,
  Task,
  TaskArtifactUpdate,
  TaskStatus,
  TaskStatusUpdate,
} from "../../protocol/model.ts";
import { takeNotes } from "../incomplete-status.ts";
import { encodeLegacyPart } from "../legacy-parts.ts";
import { encodeLegacyPushConfig } from "../legacy-push.ts";
import { endsStream, legacyRole, legacyState } from "../legacy-states.ts";

export function encodeV03Message(message: Message): Json {
  return {
    kind: "message",
    ...named("messageId", message.messageId),
    ...named("contextId", message.contextId),
    ...named("taskId", message.taskId),
    role: legacyRole(message.role),
    parts: message.parts.map((part) => encodeLegacyPart(part, "kind")),
    ...(message.metadata && { metadata: message.metadata }),
    ...(message.extensions && { extensions: message.extensions }),
    ...(message.referenceTaskIds && { referenceTaskIds: message.referenceTaskIds }),
  };
}

export function encodeV03Task(task: Task): Json {
  const { withoutTime, metadata } = takeNotes(task.metadata);
  return {
    kind: "task",
    id: task.id,
    ...named("contextId", task.contextId),
    status: encodeStatus(task.status, withoutTime),
    ...(task.artifacts && { artifacts: task.artifacts.map(encodeArtifact) }),
    ...(task.history && { history: task.history.map(encodeV03Message) }),
    ...(metadata && { metadata }),
  };
}

/** An event as v0.3 writes it; `append` is always there, because readers compare it with false. */
export function encodeV03Event(event: StreamResponse): Json {
  if ("artifactUpdate" in event) return encodeArtifactUpdate(event.artifactUpdate);
  if ("statusUpdate" in event) return encodeStatusUpdate(event.statusUpdate);
  return "task" in event ? encodeV03Task(event.task) : encodeV03Message(event.message);
}

// Runs for every token, so members are set one by one: spreading takes several times as long.
function encodeArtifactUpdate(update: TaskArtifactUpdate): Json {
  const wire: WireMembers = { kind: "artifact-update" };
  if (update.taskId) wire.taskId = update.taskId;
  if (update.contextId) wire.contextId = update.contextId;
  wire.artifact = encodeArtifact(update.artifact);
  wire.append = update.append ?? false;
  if (update.lastChunk !== undefined) wire.lastChunk = update.lastChunk;
  if (update.metadata) wire.metadata = update.metadata;
  return wire;
}

function encodeStatusUpdate(update: TaskStatusUpdate): Json {
  const { withoutTime, final, metadata } = takeNotes(update.metadata);
  return {
    kind: "status-update",
    ...named("taskId", update.taskId),
    ...named("contextId", update.contextId),
    status: encodeStatus(update.status, withoutTime),
    final: final ?? endsStream(update.status.state),
    ...(metadata && { metadata }),
  };
}

function encodeStatus(status: TaskStatus, withoutTime: boolean): Json {
  return {
    state: legacyState(status.state),
    ...(status.message && { message: encodeV03Message(status.message) }),
    ...(!withoutTime && { timestamp: status.timestamp }),
  };
}

function encodeArtifact(artifact: Artifact): Json {
  const wire: WireMembers = {};
  if (artifact.artifactId) wire.artifactId = artifact.artifactId;
  if (artifact.name !== undefined) wire.name = artifact.name;
  if (artifact.description !== undefined) wire.description = artifact.description;
  wire.parts = artifact.parts.map((part) => encodeLegacyPart(part, "kind"));
  if (artifact.metadata) wire.metadata = artifact.metadata;
  if (artifact.extensions) wire.extensions = artifact.extensions;
  return wire;
}

export function encodeV03PushConfig(config: PushConfig): Json {
  const pushNotificationConfig = encodeLegacyPushConfig(config, { withId: true });
  return { taskId: config.taskId ?? "", pushNotificationConfig };
}

type WireMembers = Record<string, Json>;

// In our model "" is an id that the peer left out.
function named<N extends string>(name: N, id: string | undefined): Partial<Record<N, string>> {
  return id ? ({ [name]: id } as Record<N, string>) : {};
}
