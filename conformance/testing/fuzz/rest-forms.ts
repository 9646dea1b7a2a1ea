import { isWrittenIn } from "./error-dialects.ts";
import type { KnownTasks } from "./fuzz-target.ts";
import { V1_REQUESTS } from "./good-requests.ts";
import { isFields, restErrorFault } from "./judge-answer.ts";

/** One request of REST, before it is put into bytes. */
export interface RestRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** What tells one version's REST from another's. */
export interface RestForm {
  readonly root: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly good: (tasks: KnownTasks) => RestRequest[];
  /** Requests that cannot succeed here: each its own error, never an internal one. */
  readonly refused: (tasks: KnownTasks) => RestRequest[];
  readonly errorFault: (json: unknown, status: number) => string | undefined;
}

const refused = ({ completed, waiting }: KnownTasks): RestRequest[] => {
  const configs = `/tasks/${waiting}/pushNotificationConfigs`;
  return [
    { method: "POST", path: `/tasks/${completed}:cancel`, body: {} },
    { method: "GET", path: configs },
    { method: "GET", path: `${configs}/c` },
    { method: "DELETE", path: `${configs}/c` },
  ];
};

const subscribed = ({ waiting }: KnownTasks): RestRequest[] => [
  { method: "GET", path: `/tasks/${waiting}:subscribe` },
  { method: "POST", path: `/tasks/${waiting}:subscribe`, body: {} },
];

/** v1.0. */
export const V1_REST: RestForm = {
  root: "/a2a/rest",
  headers: { "content-type": "application/a2a+json", "a2a-version": "1.0" },
  good(tasks) {
    const message = V1_REQUESTS.SendMessage?.(tasks);
    const query = {
      pageSize: 2,
      includeArtifacts: true,
      status: "TASK_STATE_COMPLETED",
      statusTimestampAfter: "2026-01-01T00:00:00Z",
    };
    return [
      { method: "POST", path: "/message:send", body: message },
      { method: "POST", path: "/acme/message:stream", body: message },
      { method: "GET", path: `/tasks/${tasks.completed}`, query: { historyLength: 2 } },
      { method: "GET", path: "/tasks", query },
      ...subscribed(tasks),
    ];
  },
  refused: (tasks) => [
    ...refused(tasks),
    {
      method: "POST",
      path: `/tasks/${tasks.waiting}/pushNotificationConfigs`,
      body: { id: "c", url: "https://example.com/hook" },
    },
    { method: "GET", path: "/extendedAgentCard" },
  ],
  errorFault: restErrorFault,
};

const V03_MESSAGE = {
  message: {
    messageId: "tck-artifact-text",
    role: "ROLE_USER",
    contextId: "context",
    content: [
      { text: "hello" },
      { file: { fileWithBytes: "aGk=", mimeType: "text/plain" } },
      { file: { fileWithUri: "https://example.com/a.txt" } },
      { data: { data: { key: "value", list: [1, 2, 3] } } },
    ],
    metadata: { note: 1 },
    extensions: [],
  },
  configuration: { acceptedOutputModes: ["text/plain"], historyLength: 3, blocking: true },
  metadata: { trace: "1" },
};

/** v0.3, in ProtoJSON. */
export const V03_REST: RestForm = {
  root: "/a2a/rest/v1",
  headers: { "content-type": "application/json" },
  good: (tasks) => [
    { method: "POST", path: "/message:send", body: V03_MESSAGE },
    { method: "POST", path: "/message:stream", body: V03_MESSAGE },
    { method: "GET", path: `/tasks/${tasks.completed}`, query: { historyLength: 2 } },
    ...subscribed(tasks),
  ],
  refused: (tasks) => [
    ...refused(tasks),
    {
      method: "POST",
      path: `/tasks/${tasks.waiting}/pushNotificationConfigs`,
      body: {
        parent: `tasks/${tasks.waiting}`,
        configId: "c",
        config: { name: "", pushNotificationConfig: { id: "c", url: "https://example.com/hook" } },
      },
    },
    { method: "GET", path: "/card" },
  ],
  // A path that is not below /v1 any more is answered as v1.0 answers it.
  errorFault: (json, status) =>
    isFields(json) && "error" in json ? restErrorFault(json, status) : bareErrorFault(json),
};

function bareErrorFault(json: unknown): string | undefined {
  const isWhole =
    isFields(json) &&
    Number.isInteger(json.code) &&
    json.code !== -32603 &&
    typeof json.message === "string" &&
    isWrittenIn("0.3", json);
  return isWhole ? undefined : `no error of v0.3: ${JSON.stringify(json)?.slice(0, 300)}`;
}
