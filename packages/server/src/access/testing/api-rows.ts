/** The expected result of another user's request. */
export type Expected =
  /** It names a thing of one user: to others it is as if it were not there. */
  | "nothing there"
  /** Everybody has their own, and sees nothing of others. */
  | "own things"
  /** It is the same for everybody. */
  | "shared"
  /** Owners of the workspace only; of another workspace's things they see nothing. */
  | "owners"
  /** Who runs the platform only. */
  | "operators"
  /** Signed-in users, in workspaces that they are members of: a key is not a member there. */
  | "people"
  /** Anyone with a link's token, and nobody without it. */
  | "link";

/** What a test sends to a route. */
export interface ApiRow {
  readonly expected: Expected;
  readonly body?: unknown;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const MESSAGE = { content: "Hello" };
const AGENT = { url: "http://127.0.0.1:9/", name: "another" };

/** Each route of the API. A route that is missing here fails the matrix: adding one requires stating who may use it. */
export const API_ROWS: Readonly<Record<string, ApiRow>> = {
  "GET /sessions": { expected: "own things" },
  "POST /sessions": { expected: "own things", body: { title: "Mine" } },
  "POST /sessions/import": { expected: "own things", body: { content: "{}" } },
  "GET /sessions/{id}": { expected: "nothing there" },
  "PATCH /sessions/{id}": { expected: "nothing there", body: { title: "Taken" } },
  "DELETE /sessions/{id}": { expected: "nothing there" },
  "POST /sessions/{id}/restore": { expected: "nothing there" },
  "GET /sessions/{id}/export": { expected: "nothing there", query: "?format=jsonl" },
  "GET /sessions/{id}/events": { expected: "nothing there" },
  "GET /sessions/{id}/replay": { expected: "nothing there", query: "?until=1" },
  "GET /sessions/{id}/runs": { expected: "nothing there" },
  "GET /sessions/{id}/runs/{runId}": { expected: "nothing there" },
  "POST /sessions/{id}/runs/{runId}/cancel": { expected: "nothing there", body: {} },
  "POST /sessions/{id}/runs/{runId}/retry": { expected: "nothing there", body: {} },
  "POST /sessions/{id}/messages": { expected: "nothing there", body: MESSAGE },
  "PUT /sessions/{id}/messages/{messageId}": { expected: "nothing there", body: MESSAGE },
  "POST /sessions/{id}/fork": { expected: "nothing there", body: {} },
  "POST /sessions/{id}/branch": { expected: "nothing there", body: { ...MESSAGE, messageId: "{messageId}" } },
  "POST /sessions/{id}/compare": { expected: "nothing there", body: { ...MESSAGE, agents: ["supervisor"] } },
  "POST /sessions/{id}/approvals/{approvalId}": {
    expected: "nothing there",
    body: { decision: "approved" },
  },
  "GET /runs": { expected: "own things" },
  "GET /runs/analytics": { expected: "own things" },
  "GET /approvals": { expected: "own things" },
  "GET /search": { expected: "own things", query: "?q=secret" },
  "GET /events": { expected: "nothing there", query: "?session_ids[]={id}" },
  "POST /files": {
    expected: "own things",
    body: "content",
    headers: { "Content-Type": "text/plain", "X-File-Name": "a.txt" },
  },
  "GET /files/{file}": { expected: "nothing there" },
  "GET /files/{file}/content": { expected: "nothing there" },
  "GET /agents": { expected: "shared" },
  "GET /agents/{name}": { expected: "shared" },
  "POST /agents": { expected: "operators", body: AGENT },
  "PATCH /agents/{name}": { expected: "operators", body: { enabled: true } },
  "DELETE /agents/{name}": { expected: "operators" },
  "POST /agents/{name}/restore": { expected: "operators" },
  "POST /agents/{name}/recheck": { expected: "operators" },
  "POST /agent-checks": { expected: "operators", body: AGENT },
  "GET /settings": { expected: "shared" },
  "POST /settings/model-test": { expected: "operators", body: {} },
  "GET /webhooks/dead-letters": { expected: "own things" },
  "POST /webhooks/dead-letters/replay": { expected: "own things", body: { taskId: "none" } },
  "GET /shares": { expected: "own things" },
  "GET /sessions/{id}/shares": { expected: "nothing there" },
  "POST /sessions/{id}/shares": { expected: "nothing there", body: {} },
  "DELETE /sessions/{id}/shares/{shareId}": { expected: "nothing there" },
  "GET /shared": { expected: "link" },
  "GET /shared/events": { expected: "link" },
  "GET /shared/replay": { expected: "link", query: "?until=1" },
  "GET /shared/stream": { expected: "link" },
  "GET /me": { expected: "own things" },
  "GET /workspaces": { expected: "own things" },
  "PUT /me/workspace": { expected: "people", body: { id: "home" } },
  "POST /workspaces": { expected: "people", body: { name: "Ours" } },
  "GET /workspaces/{id}/members": { expected: "people" },
  "POST /workspaces/{id}/members": { expected: "people", body: { userId: "bob", role: "viewer" } },
  "PATCH /workspaces/{id}/members/{userId}": { expected: "people", body: { role: "viewer" } },
  "DELETE /workspaces/{id}/members/{userId}": { expected: "people" },
  "DELETE /workspaces/{id}/invitations/{email}": { expected: "people" },
  "GET /keys": { expected: "owners" },
  "POST /keys": { expected: "owners", body: { name: "one more" } },
  "DELETE /keys/{key}": { expected: "owners" },
  "GET /audit": { expected: "owners" },
};
