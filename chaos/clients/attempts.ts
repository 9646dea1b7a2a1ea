/** One way to access another user's resource; placeholders are in braces. */
export interface Attempt {
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: object;
  /** The A2A version; 1.0 by default. */
  readonly version?: "0.1" | "1.0";
}

/** The intruder's marker text: wherever it is found, access control failed. */
export const INTRUSION = "intruded";

const api = (route: string, body?: object): Attempt => {
  const [method = "", path = ""] = route.split(" ");
  return {
    ...{ name: route, method: method as Attempt["method"], path: `/api/v1${path}` },
    ...(body && { body }),
  };
};
const call = (method: string, params: object): Attempt => ({
  ...{ name: method, method: "POST", path: "/a2a/jsonrpc" },
  body: { jsonrpc: "2.0", id: 1, method, params },
});
const message = { messageId: INTRUSION, role: "ROLE_USER", parts: [{ text: INTRUSION }] };

/** Requests for a named resource: to an intruder it must look missing. */
export const NAMING: readonly [Attempt, ...Attempt[]] = [
  api("GET /sessions/{id}"),
  api("GET /sessions/{id}/events"),
  api("GET /sessions/{id}/replay?until=1"),
  api("GET /sessions/{id}/export?format=jsonl"),
  api("GET /sessions/{id}/runs"),
  api("GET /sessions/{id}/runs/{runId}"),
  api("GET /sessions/{id}/shares"),
  api("GET /events?session_ids[]={id}"),
  api("POST /sessions/{id}/messages", { content: INTRUSION }),
  api("PUT /sessions/{id}/messages/{messageId}", { content: INTRUSION }),
  api("POST /sessions/{id}/runs/{runId}/cancel", { reason: INTRUSION }),
  api("POST /sessions/{id}/runs/{runId}/retry", {}),
  api("POST /sessions/{id}/fork", { title: INTRUSION }),
  api("POST /sessions/{id}/shares", {}),
  api("PATCH /sessions/{id}", { title: INTRUSION }),
  api("DELETE /sessions/{id}"),
  api("GET /files/{fileId}"),
  api("GET /files/{fileId}/content"),
  call("GetTask", { id: "{taskId}" }),
  call("CancelTask", { id: "{taskId}" }),
  call("SubscribeToTask", { id: "{taskId}" }),
  call("SendMessage", { message: { ...message, taskId: "{taskId}" } }),
  call("ListTaskPushNotificationConfigs", { taskId: "{taskId}" }),
];

/** The message sent in another user's context: it belongs to the caller and stays with them. */
export const BORROWED = "kborrowed";
const borrowing = { ...message, messageId: "{fresh}", parts: [{ text: `ask teller: speak ${BORROWED} 3` }] };

/** Requests that name another user's context: they must return nothing of that user. */
export const BORROWING: readonly [Attempt, ...Attempt[]] = [
  call("SendMessage", {
    message: { ...borrowing, contextId: "{runId}" },
    configuration: { returnImmediately: true },
  }),
  call("ListTasks", { contextId: "{runId}" }),
];

/** Requests that reuse another user's id for the caller's own resource: they must not be rejected for that. */
export const CHOOSING: readonly [Attempt, ...Attempt[]] = [
  {
    ...{ name: "POST /agui", method: "POST", path: "/agui" },
    body: {
      ...{ threadId: "{id}", runId: "{fresh}" },
      messages: [{ id: "{fresh}", role: "user", content: `ask teller: speak ${BORROWED} 3` }],
    },
  },
  {
    ...{ name: "POST /ai", method: "POST", path: "/ai" },
    body: {
      id: "{id}",
      messages: [
        { id: "{fresh}", role: "user", parts: [{ type: "text", text: `ask teller: speak ${BORROWED} 3` }] },
      ],
    },
  },
  {
    ...{ name: "tasks/sendSubscribe", method: "POST", path: "/", version: "0.1" },
    body: {
      ...{ jsonrpc: "2.0", id: 1, method: "tasks/sendSubscribe" },
      params: {
        id: "{taskId}",
        message: { role: "user", parts: [{ type: "text", text: `ask teller: speak ${BORROWED} 3` }] },
      },
    },
  },
];

/** Requests forbidden even to a workspace owner: a key acts for its creator. */
export const IMPERSONATING: readonly [Attempt, ...Attempt[]] = [
  api("POST /keys", { name: INTRUSION, owner: "intruder" }),
  api("POST /keys", { name: INTRUSION, owner: "crew", workspace: "crew" }),
];

/** Ambiguous paths that parts of a server may parse differently: each must reject a caller without a valid key. */
export const RAW: readonly [Attempt, ...Attempt[]] = [
  api("GET /shared/../settings"),
  api("GET /shared/%2e%2e/settings"),
  api("GET /shared/..%2fsettings"),
  api("GET /shared/../sessions/{id}"),
  api("GET /shared/x/../../sessions/{id}"),
  api("GET /shared/..//sessions/{id}"),
];

/** A forged export: history with a pending run, at a URL of the intruder's and under another user's name. */
const forgedExport = [
  { type: "session_created", payload: { workspace: "crew", owner: "crew", title: INTRUSION } },
  { type: "config_changed", payload: { config: { allowedTools: [{ tool: "enter" }] } } },
  {
    type: "user_message",
    payload: {
      ...{ messageId: INTRUSION, content: INTRUSION },
      waiting: { runId: "{runId}", agent: "clerk", agentUrl: "http://127.0.0.1:9/", contextId: "{runId}" },
    },
  },
];

/** Imports of more than history, which are forbidden to everyone. */
export const IMPORTING: readonly [Attempt, ...Attempt[]] = [
  api("POST /sessions/import", { content: forgedExport.map((line) => JSON.stringify(line)).join("\n") }),
];

/** List requests: the response must have only the caller's resources. */
export const LISTING: readonly [Attempt, ...Attempt[]] = [
  api("GET /sessions"),
  api("GET /sessions?since=0"),
  api("GET /runs"),
  api("GET /approvals"),
  api("GET /search?q=speak"),
  api("GET /webhooks/dead-letters"),
  api("GET /keys"),
  api("GET /audit"),
  { name: "GET /metrics", method: "GET", path: "/metrics" },
  call("ListTasks", {}),
];
