import { randomUUID } from "node:crypto";
import type { GoodRequests, KnownTasks } from "./fuzz-target.ts";

const parts = (tag: "kind" | "type") => [
  { [tag]: "text", text: "hello", metadata: { note: 1 } },
  { [tag]: "file", file: { name: "a.txt", mimeType: "text/plain", bytes: "aGk=" } },
  { [tag]: "data", data: { key: "value", list: [1, 2, 3] } },
];
const v1Parts = [
  { text: "hello", metadata: { note: 1 } },
  { raw: "aGk=", filename: "a.txt", mediaType: "text/plain" },
  { url: "https://example.com/a.txt" },
  { data: { key: "value", list: [1, 2, 3] } },
];

const v1Message = {
  message: {
    messageId: "tck-stream-artifact-chunked",
    role: "ROLE_USER",
    parts: v1Parts,
    contextId: "context",
    extensions: [],
    referenceTaskIds: ["other"],
  },
  configuration: { acceptedOutputModes: ["text/plain"], historyLength: 3, returnImmediately: false },
  metadata: { trace: "1" },
};
const v03Message = {
  message: {
    kind: "message",
    messageId: "tck-artifact-text",
    role: "user",
    parts: parts("kind"),
    contextId: "context",
  },
  configuration: { acceptedOutputModes: ["text/plain"], historyLength: 3, blocking: true },
  metadata: { trace: "1" },
};
const v01Message = (): object => ({
  id: randomUUID(),
  sessionId: "session",
  message: { role: "user", parts: parts("type"), metadata: { note: 1 } },
  acceptedOutputModes: ["text/plain"],
  historyLength: 3,
  metadata: { trace: "1" },
});
const completed = ({ completed: id }: KnownTasks) => ({ id, historyLength: 2 });
const waiting = ({ waiting: id }: KnownTasks) => ({ id });
const list = () => ({
  contextId: "context",
  status: "TASK_STATE_COMPLETED",
  pageSize: 2,
  historyLength: 1,
  includeArtifacts: true,
  statusTimestampAfter: "2026-01-01T00:00:00Z",
});

/** The params of v1.0's methods. */
export const V1_REQUESTS: GoodRequests = {
  SendMessage: () => v1Message,
  SendStreamingMessage: () => v1Message,
  GetTask: completed,
  ListTasks: list,
  SubscribeToTask: waiting,
};

/** The params of v0.3's methods. */
export const V03_REQUESTS: GoodRequests = {
  "message/send": () => v03Message,
  "message/stream": () => v03Message,
  "tasks/get": completed,
  "tasks/resubscribe": waiting,
};

/** The params of v0.1's methods. */
export const V01_REQUESTS: GoodRequests = {
  "tasks/send": v01Message,
  "tasks/sendSubscribe": v01Message,
  "tasks/get": completed,
  "tasks/resubscribe": waiting,
};

/** Requests that cannot succeed here, because the task has ended or the agent lacks the operation: each its own error, never an internal one. */
export const REFUSED_REQUESTS: GoodRequests = {
  CancelTask: completed,
  "tasks/cancel": completed,
  CreateTaskPushNotificationConfig: ({ waiting: taskId }) => ({
    taskId,
    id: "c",
    url: "https://example.com/hook",
    token: "t",
    authentication: { scheme: "Bearer", credentials: "c" },
  }),
  "tasks/pushNotificationConfig/set": ({ waiting: taskId }) => ({
    taskId,
    pushNotificationConfig: { url: "https://example.com/hook", authentication: { schemes: ["Bearer"] } },
  }),
  "tasks/pushNotification/set": ({ waiting: id }) => ({
    id,
    pushNotificationConfig: { url: "https://example.com/hook" },
  }),
  GetExtendedAgentCard: () => ({ tenant: "acme" }),
  SendMessage: ({ completed: taskId }) => ({
    message: { ...v1Message.message, taskId, contextId: "another" },
  }),
};
