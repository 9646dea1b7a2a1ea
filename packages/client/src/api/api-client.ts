import { type ApiPath, ApiTransport, path, type TransportOptions } from "./api-transport.ts";
import type {
  AnswerTo,
  EventPage,
  Role,
  SessionChanges,
  SessionPage,
  SessionReading,
  SessionStatus,
} from "./api-types.ts";
import type { DomainEventType } from "./domain-event.ts";
import type { paths } from "./generated.ts";
import { newId } from "./new-id.ts";
import type {
  AgentChange,
  Answer,
  AuditQuery,
  DeadLetterReplay,
  MessageEdit,
  NewAgent,
  NewComparison,
  NewFile,
  NewFork,
  NewKey,
  NewMember,
  NewMessage,
  NewSession,
  NewShare,
  PageQuery,
  Retry,
  SessionChange,
} from "./request-types.ts";

/** What every call takes. */
export interface ApiCallOptions {
  readonly signal?: AbortSignal;
  /** How often it is tried in all. */
  readonly attempts?: number;
}

/** What every command takes. */
export interface CommandOptions extends ApiCallOptions {
  /** The same key again is the same command again; without one, one is made up. */
  readonly key?: string;
}

type Method = "POST" | "PUT" | "PATCH" | "DELETE";

/** The endpoints of the API, with types. Reads and commands are repeated when they fail on the way; a command happens once. */
export class ApiClient {
  readonly #transport: ApiTransport;

  constructor(options: TransportOptions) {
    this.#transport = new ApiTransport(options);
  }

  listSessions(query: PageQuery & { readonly status?: SessionStatus } = {}, options?: ApiCallOptions) {
    return this.#get("/sessions", { ...query }, options) as Promise<SessionPage>;
  }

  /** What changed since the `cursor` of the last answer; "0": everything. */
  changes(since: string, query: { readonly limit?: number } = {}, options?: ApiCallOptions) {
    return this.#get("/sessions", { ...query, since }, options) as Promise<SessionChanges>;
  }

  createSession(session: NewSession = {}, options?: CommandOptions) {
    return this.#command("POST", "/sessions", session, options);
  }

  /** The session with all its messages and events, or with those after an index. */
  readSession(id: string, query: { readonly eventsSince?: number } = {}, options?: ApiCallOptions) {
    const given = { events_since: query.eventsSince };
    return this.#get(path("/sessions/{id}", id), given, options) as Promise<SessionReading>;
  }

  changeSession(id: string, change: SessionChange, options?: CommandOptions) {
    return this.#command("PATCH", path("/sessions/{id}", id), change, options);
  }

  /** It can be restored for 30 days. */
  deleteSession(id: string, options?: CommandOptions) {
    return this.#command("DELETE", path("/sessions/{id}", id), undefined, options);
  }

  restoreSession(id: string, options?: CommandOptions) {
    return this.#command("POST", path("/sessions/{id}/restore", id), undefined, options);
  }

  postMessage(id: string, message: NewMessage, options?: CommandOptions) {
    return this.#command("POST", path("/sessions/{id}/messages", id), message, options);
  }

  /** Makes a fork with all before the message, and the edit in its place. */
  editMessage(id: string, messageId: string, edit: MessageEdit, options?: CommandOptions) {
    return this.#command("PUT", path("/sessions/{id}/messages/{messageId}", id, messageId), edit, options);
  }

  forkSession(id: string, fork: NewFork = {}, options?: CommandOptions) {
    return this.#command("POST", path("/sessions/{id}/fork", id), fork, options);
  }

  /** Runs again on what the run was shown, in a fork. */
  retryRun(id: string, runId: string, retry: Retry = {}, options?: CommandOptions) {
    return this.#command("POST", path("/sessions/{id}/runs/{runId}/retry", id, runId), retry, options);
  }

  /** Sends one message to several agents, each in a fork of its own. */
  compare(id: string, comparison: NewComparison, options?: CommandOptions) {
    return this.#command("POST", path("/sessions/{id}/compare", id), comparison, options);
  }

  /** Runs of all sessions, or of one, the newest first. */
  listRuns(query: PageQuery & { readonly sessionId?: string } = {}, options?: ApiCallOptions) {
    const { sessionId, ...page } = query;
    const at = sessionId === undefined ? "/runs" : path("/sessions/{id}/runs", sessionId);
    return this.#get(at, page, options);
  }

  readRun(id: string, runId: string, options?: ApiCallOptions) {
    return this.#get(path("/sessions/{id}/runs/{runId}", id, runId), {}, options);
  }

  cancelRun(id: string, runId: string, cancel: { readonly reason?: string } = {}, options?: CommandOptions) {
    return this.#command("POST", path("/sessions/{id}/runs/{runId}/cancel", id, runId), cancel, options);
  }

  listApprovals(query: PageQuery & { readonly open?: boolean } = {}, options?: ApiCallOptions) {
    return this.#get("/approvals", { ...query }, options);
  }

  answerApproval(id: string, approvalId: string, answer: Answer, options?: CommandOptions) {
    const at = path("/sessions/{id}/approvals/{approvalId}", id, approvalId);
    return this.#command("POST", at, answer, options);
  }

  /** The events of a session, all or those of a type or a run; `cursor` is an index. */
  listEvents(
    id: string,
    query: PageQuery & { readonly type?: DomainEventType; readonly run?: string } = {},
    options?: ApiCallOptions,
  ) {
    return this.#get(path("/sessions/{id}/events", id), { ...query }, options) as Promise<EventPage>;
  }

  /** The session as it was when it had so many events. */
  replay(id: string, until: number, options?: ApiCallOptions) {
    return this.#get(path("/sessions/{id}/replay", id), { until }, options);
  }

  search(text: string, query: { readonly limit?: number } = {}, options?: ApiCallOptions) {
    return this.#get("/search", { ...query, q: text }, options);
  }

  /** Content that is there already is the same file again, so it may be repeated. */
  uploadFile({ name, mediaType, content }: NewFile, { signal, attempts }: ApiCallOptions = {}) {
    return this.#transport.request(
      {
        method: "POST",
        path: "/files",
        isRepeatable: true,
        signal,
        attempts,
        content: { type: mediaType, data: content },
        headers: { "X-File-Name": encodeURIComponent(name) },
      },
      json<AnswerTo<"post", "/files">>,
    );
  }

  downloadFile(id: string, { signal, attempts }: ApiCallOptions = {}): Promise<Blob> {
    return this.#transport.request(
      { method: "GET", path: path("/files/{file}/content", id), signal, attempts },
      (response) => response.blob(),
    );
  }

  listAgents(query: PageQuery = {}, options?: ApiCallOptions) {
    return this.#get("/agents", { ...query }, options);
  }

  addAgent(agent: NewAgent, options?: ApiCallOptions) {
    return this.#once("POST", "/agents", agent, options);
  }

  changeAgent(name: string, change: AgentChange, options?: ApiCallOptions) {
    return this.#once("PATCH", path("/agents/{name}", name), change, options);
  }

  removeAgent(name: string, options?: ApiCallOptions) {
    return this.#once("DELETE", path("/agents/{name}", name), undefined, options);
  }

  /** Takes a removal back, with the credentials as they were. */
  restoreAgent(name: string, options?: CommandOptions) {
    return this.#command("POST", path("/agents/{name}/restore", name), undefined, options);
  }

  /** What would be found if the agent were added; nothing is kept. */
  checkAgent(agent: NewAgent, options?: ApiCallOptions) {
    return this.#once("POST", "/agent-checks", agent, options);
  }

  recheckAgent(name: string, options?: ApiCallOptions) {
    return this.#once("POST", path("/agents/{name}/recheck", name), undefined, options);
  }

  /** Notifications of tasks that were given up, the newest first. */
  listDeadLetters(
    query: { readonly taskId?: string; readonly limit?: number } = {},
    options?: ApiCallOptions,
  ) {
    return this.#get("/webhooks/dead-letters", { ...query }, options);
  }

  /** Sends again what was given up: all of a task, of one of its webhooks, or just one. */
  replayDeadLetters(replay: DeadLetterReplay, options?: ApiCallOptions) {
    return this.#once("POST", "/webhooks/dead-letters/replay", replay, options);
  }

  readSettings(options?: ApiCallOptions) {
    return this.#get("/settings", {}, options);
  }

  /** Takes one small turn with the model, or with the one in use. */
  testModel(model?: string, options?: ApiCallOptions) {
    return this.#once("POST", "/settings/model-test", { ...(model && { model }) }, options);
  }

  /** The API keys of the workspace, without their secrets; for its owners. */
  listKeys(query: { readonly workspace?: string } = {}, options?: ApiCallOptions) {
    return this.#get("/keys", query, options);
  }

  /** Makes a key; its secret is in this answer and nowhere else. */
  createKey(key: NewKey, options?: CommandOptions) {
    return this.#command("POST", "/keys", key, options);
  }

  /** Streams that are open under it end. */
  revokeKey(id: string, { workspace }: { readonly workspace?: string } = {}, options?: CommandOptions) {
    const of = workspace === undefined ? "" : `?workspace=${encodeURIComponent(workspace)}`;
    const at = (path("/keys/{id}", id) + of) as ApiPath<"/keys/{id}">;
    return this.#command("DELETE", at, undefined, options);
  }

  /** Who did what, the newest first; for owners of the workspace. */
  audit(query: AuditQuery = {}, options?: ApiCallOptions) {
    return this.#get("/audit", { ...query }, options);
  }

  /** For requests of this browser that name no workspace. */
  chooseWorkspace(id: string, options?: ApiCallOptions) {
    return this.#once("PUT", "/me/workspace", { id }, options);
  }

  createWorkspace(name: string, options?: CommandOptions) {
    return this.#command("POST", "/workspaces", { name }, options);
  }

  /** Who is in a workspace; who is invited, for its owners. */
  members(workspace: string, options?: ApiCallOptions) {
    return this.#get(path("/workspaces/{id}/members", workspace), {}, options);
  }

  /** Makes a user a member, or invites whoever signs in with an address. */
  addMember(workspace: string, member: NewMember, options?: CommandOptions) {
    return this.#command("POST", path("/workspaces/{id}/members", workspace), member, options);
  }

  setRole(workspace: string, userId: string, role: Role, options?: CommandOptions) {
    const at = path("/workspaces/{id}/members/{userId}", workspace, userId);
    return this.#command("PATCH", at, { role }, options);
  }

  /** What they have open in it ends; one's own id leaves it. */
  removeMember(workspace: string, userId: string, options?: CommandOptions) {
    const at = path("/workspaces/{id}/members/{userId}", workspace, userId);
    return this.#command("DELETE", at, undefined, options);
  }

  /** Takes an invitation back. */
  uninvite(workspace: string, email: string, options?: CommandOptions) {
    const at = path("/workspaces/{id}/invitations/{email}", workspace, email);
    return this.#command("DELETE", at, undefined, options);
  }

  /** The links to all sessions of the caller's that hold. */
  ownShares(query: PageQuery = {}, options?: ApiCallOptions) {
    return this.#get("/shares", { ...query }, options);
  }

  /** The links to a session that hold. */
  listShares(id: string, options?: ApiCallOptions) {
    return this.#get(path("/sessions/{id}/shares", id), {}, options);
  }

  /** Makes a link by which anybody reads the session; its token is told this once. */
  makeShare(id: string, share: NewShare = {}, options?: CommandOptions) {
    return this.#command("POST", path("/sessions/{id}/shares", id), share, options);
  }

  revokeShare(id: string, shareId: string, options?: CommandOptions) {
    return this.#command("DELETE", path("/sessions/{id}/shares/{shareId}", id, shareId), undefined, options);
  }

  /** The events of the session that a link opens, whose token the client sends. */
  listSharedEvents(query: PageQuery = {}, options?: ApiCallOptions) {
    return this.#get("/shared/events", { ...query }, options) as Promise<EventPage>;
  }

  /** The events as JSON lines, or the messages as Markdown. */
  exportSession(id: string, format: "jsonl" | "markdown", { signal, attempts }: ApiCallOptions = {}) {
    return this.#transport.request(
      { method: "GET", path: path("/sessions/{id}/export", id), query: { format }, signal, attempts },
      (response) => response.text(),
    );
  }

  importSession(session: { readonly id?: string; readonly content: string }, options?: CommandOptions) {
    return this.#command("POST", "/sessions/import", session, options);
  }

  #get<Path extends keyof paths>(
    at: ApiPath<Path>,
    query: object,
    { signal, attempts }: ApiCallOptions = {},
  ): Promise<AnswerTo<"get", Path>> {
    const given = query as Record<string, string | number | boolean | undefined>;
    return this.#transport.request(
      { method: "GET", path: at, query: given, signal, attempts },
      json<AnswerTo<"get", Path>>,
    );
  }

  #command<Verb extends Method, Path extends keyof paths>(
    method: Verb,
    at: ApiPath<Path>,
    body: unknown,
    { key = newId("key"), ...options }: CommandOptions = {},
  ): Promise<AnswerTo<Lowercase<Verb>, Path>> {
    return this.#once(method, at, body, { key, ...options });
  }

  /** Commands that have no key there: repeating one blindly could be refused though the first was done. */
  #once<Verb extends Method, Path extends keyof paths>(
    method: Verb,
    at: ApiPath<Path>,
    body: unknown,
    options: CommandOptions = {},
  ): Promise<AnswerTo<Lowercase<Verb>, Path>> {
    return this.#transport.request(
      { method, path: at, body, ...options },
      json<AnswerTo<Lowercase<Verb>, Path>>,
    );
  }
}

async function json<Result>(response: Response): Promise<Result> {
  return response.status === 204 ? (undefined as Result) : ((await response.json()) as Result);
}
