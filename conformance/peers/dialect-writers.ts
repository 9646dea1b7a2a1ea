import type { Artifact, Json, Message, Part, StreamResponse, Task, TaskStatus } from "@parley/a2a";
import type { PeerDialect } from "./peer-card.ts";

/** How a peer encodes its events; `artifactIds` are in order of creation. */
export interface DialectWriter {
  readonly methods: Readonly<Record<"send" | "stream" | "get" | "cancel" | "subscribe", string>>;
  event(event: StreamResponse, artifactIds: readonly string[]): Json;
  task(task: Task): Json;
  /** A task as the answer to a message. */
  sent(task: Task): Json;
}

// Written independently, so that a mistake in our own codecs is not masked.
const json = (value: unknown): Json => JSON.parse(JSON.stringify(value));

const v1: DialectWriter = {
  methods: {
    send: "SendMessage",
    stream: "SendStreamingMessage",
    get: "GetTask",
    cancel: "CancelTask",
    subscribe: "SubscribeToTask",
  },
  event: json,
  task: json,
  sent: (task) => json({ task }),
};

const V03_METHODS = {
  send: "message/send",
  stream: "message/stream",
  get: "tasks/get",
  cancel: "tasks/cancel",
  subscribe: "tasks/resubscribe",
};

const v03: DialectWriter = {
  methods: V03_METHODS,
  event(event) {
    if ("task" in event) return v03.task(event.task);
    if ("message" in event) return json(v03Message(event.message));
    if ("statusUpdate" in event) {
      const { taskId, contextId, status } = event.statusUpdate;
      return json({
        kind: "status-update",
        taskId,
        contextId,
        status: v03Status(status),
        final: ends(status),
      });
    }
    const { artifact, ...update } = event.artifactUpdate;
    return json({ kind: "artifact-update", ...update, artifact: v03Artifact(artifact) });
  },
  task({ id, contextId, status, artifacts = [], history = [] }) {
    return json({
      ...{ kind: "task", id, contextId, status: v03Status(status) },
      ...(artifacts.length > 0 && { artifacts: artifacts.map(v03Artifact) }),
      history: history.map(v03Message),
    });
  },
  sent: (task) => v03.task(task),
};

const v01: DialectWriter = {
  methods: { ...V03_METHODS, send: "tasks/send", stream: "tasks/sendSubscribe" },
  event(event, artifactIds) {
    if ("message" in event) throw new Error("v0.1 has no messages in streams: tell a status");
    if ("artifactUpdate" in event) {
      const { taskId: id, artifact, append = false, lastChunk = false } = event.artifactUpdate;
      const index = artifactIds.indexOf(artifact.artifactId);
      return json({ id, artifact: { ...v01Artifact(artifact, index), append, lastChunk } });
    }
    const [id, status] =
      "task" in event
        ? [event.task.id, event.task.status]
        : [event.statusUpdate.taskId, event.statusUpdate.status];
    return json({ id, status: v01Status(status), final: ends(status) });
  },
  task({ id, contextId: sessionId, status, artifacts = [], history = [] }) {
    const messages = history.map(v01Message);
    return json({
      ...{ id, sessionId, status: v01Status(status), artifacts: artifacts.map(v01Artifact) },
      history: messages,
    });
  },
  sent: (task) => v01.task(task),
};

/** Every dialect, written by hand. */
export const DIALECT_WRITERS: Readonly<Record<PeerDialect, DialectWriter>> = {
  "1.0": v1,
  "0.3": v03,
  "0.1": v01,
};

function stateName(state: string): string {
  return state.replace("TASK_STATE_", "").toLowerCase().replace("_", "-");
}

function ends({ state }: TaskStatus): boolean {
  return state !== "TASK_STATE_SUBMITTED" && state !== "TASK_STATE_WORKING";
}

function v03Status({ state, message, timestamp }: TaskStatus) {
  return { state: stateName(state), ...(message && { message: v03Message(message) }), timestamp };
}

function v03Message({ role, parts, ...names }: Message) {
  return { kind: "message", role: roleName(role), parts: parts.map(partAs("kind")), ...names };
}

function v03Artifact({ parts, ...about }: Artifact) {
  return { ...about, parts: parts.map(partAs("kind")) };
}

function v01Status({ state, message, timestamp }: TaskStatus) {
  return { state: stateName(state), ...(message && { message: v01Message(message) }), timestamp };
}

function v01Message({ role, parts }: Message) {
  return { role: roleName(role), parts: parts.map(partAs("type")) };
}

function v01Artifact({ name, description, parts }: Artifact, index: number) {
  return { name, description, parts: parts.map(partAs("type")), index };
}

function roleName(role: Message["role"]): string {
  return role === "ROLE_USER" ? "user" : "agent";
}

const partAs =
  (tag: "kind" | "type") =>
  ({ text, raw, url, data, filename: name, mediaType: mimeType }: Part) => {
    if (text !== undefined) return { [tag]: "text", text };
    if (data !== undefined) return { [tag]: "data", data };
    return { [tag]: "file", file: { bytes: raw, uri: url, name, mimeType } };
  };
