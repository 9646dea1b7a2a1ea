import { ApiTransport, path, type TransportOptions } from "./api-transport.ts";
import type {
  AnswerTo,
  EventPage,
  Forked,
  Me,
  Members,
  ModelTest,
  Replay,
  Role,
  SessionChanges,
  SessionPage,
  SessionReading,
  SessionStatus,
  Settings,
} from "./api-types.ts";
import type { DomainEventType } from "./domain-event.ts";
import { newId } from "./new-id.ts";
import type {
  AgentChange,
  Answer,
  AuditQuery,
  Comparison,
  DeadLetterReplay,
  MessageEdit,
  NewAgent,
  NewBranch,
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
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** How often it is tried in all. */
  readonly attempts?: number;
}

/** What every command takes. */
export interface CommandOptions extends CallOptions {
  /** The same key again is the same command again; without one, one is made up. */
  readonly key?: string;
}

type Method = "POST" | "PUT" | "PATCH" | "DELETE";

/** Every endpoint of the API, with types. Reads and commands are repeated when they fail on the way; a command happens once. */
export class ApiClient {
  readonly #transport: ApiTransport;

  constructor(options: TransportOptions) {
    this.#transport = new ApiTransport(options);
  }

  listSessions(query: PageQuery & { readonly status?: SessionStatus } = {}, options?: CallOptions) {
    return this.#get<SessionPage>("/sessions", { ...query }, options);
  }

  /** What changed since the `cursor` of the last answer; "0": everything. */
  changes(since: string, query: { readonly limit?: number } = {}, options?: CallOptions) {
    return this.#get<SessionChanges>("/sessions", { ...query, since }, options);
  }

  createSession(session: NewSession = {}, options?: CommandOptions) {
    return this.#command<AnswerTo<"post", "/sessions">>("POST", "/sessions", session, options);
  }

  /** The session with all its messages and events, or with those after an index. */
  readSession(id: string, query: { readonly eventsSince?: number } = {}, options?: CallOptions) {
    return this.#get<SessionReading>(path`/sessions/${id}`, { events_since: query.eventsSince }, options);
  }

  changeSession(id: string, change: SessionChange, options?: CommandOptions) {
    return this.#command<AnswerTo<"patch", "/sessions/{id}">>(
      "PATCH",
      path`/sessions/${id}`,
      change,
      options,
    );
  }

  /** It can be restored for 30 days. */
  deleteSession(id: string, options?: CommandOptions) {
    return this.#command<undefined>("DELETE", path`/sessions/${id}`, undefined, options);
  }

  restoreSession(id: string, options?: CommandOptions) {
    return this.#command<AnswerTo<"post", "/sessions/{id}/restore">>(
      "POST",
      path`/sessions/${id}/restore`,
      undefined,
      options,
    );
  }

  postMessage(id: string, message: NewMessage, options?: CommandOptions) {
    return this.#command<AnswerTo<"post", "/sessions/{id}/messages">>(
      "POST",
      path`/sessions/${id}/messages`,
      message,
      options,
    );
  }

  /** Makes a fork with all before the message, and the edit in its place. */
  editMessage(id: string, messageId: string, edit: MessageEdit, options?: CommandOptions) {
    return this.#command<Forked>("PUT", path`/sessions/${id}/messages/${messageId}`, edit, options);
  }

  forkSession(id: string, fork: NewFork = {}, options?: CommandOptions) {
    return this.#command<Forked>("POST", path`/sessions/${id}/fork`, fork, options);
  }

  /** Forks after a message, and goes on there with another one. */
  branchSession(id: string, branch: NewBranch, options?: CommandOptions) {
    return this.#command<Forked>("POST", path`/sessions/${id}/branch`, branch, options);
  }

  /** Runs again on what the run was shown, in a fork. */
  retryRun(id: string, runId: string, retry: Retry = {}, options?: CommandOptions) {
    return this.#command<Forked>("POST", path`/sessions/${id}/runs/${runId}/retry`, retry, options);
  }

  /** Sends one message to several agents, each in a fork of its own. */
  compare(id: string, comparison: Comparison, options?: CommandOptions) {
    return this.#command<AnswerTo<"post", "/sessions/{id}/compare">>(
      "POST",
      path`/sessions/${id}/compare`,
      comparison,
      options,
    );
  }

  /** Runs of all sessions, or of one, the newest first. */
  listRuns(query: PageQuery & { readonly sessionId?: string } = {}, options?: CallOptions) {
    const { sessionId, ...page } = query;
    const at = sessionId === undefined ? "/runs" : path`/sessions/${sessionId}/runs`;
    return this.#get<AnswerTo<"get", "/runs">>(at, page, options);
  }

  readRun(id: string, runId: string, options?: CallOptions) {
    return this.#get<AnswerTo<"get", "/sessions/{id}/runs/{runId}">>(
      path`/sessions/${id}/runs/${runId}`,
      {},
      options,
    );
  }

  cancelRun(id: string, runId: string, cancel: { readonly reason?: string } = {}, options?: CommandOptions) {
    return this.#command<AnswerTo<"post", "/sessions/{id}/runs/{runId}/cancel">>(
      "POST",
      path`/sessions/${id}/runs/${runId}/cancel`,
      cancel,
      options,
    );
  }

  runAnalytics(options?: CallOptions) {
    return this.#get<AnswerTo<"get", "/runs/analytics">>("/runs/analytics", {}, options);
  }

  listApprovals(query: PageQuery & { readonly open?: boolean } = {}, options?: CallOptions) {
    return this.#get<AnswerTo<"get", "/approvals">>("/approvals", { ...query }, options);
  }

  answerApproval(id: string, approvalId: string, answer: Answer, options?: CommandOptions) {
    return this.#command<AnswerTo<"post", "/sessions/{id}/approvals/{approvalId}">>(
      "POST",
      path`/sessions/${id}/approvals/${approvalId}`,
      answer,
      options,
    );
  }

  /** The events of a session, all or those of a type or a run; `cursor` is an index. */
  listEvents(
    id: string,
    query: PageQuery & { readonly type?: DomainEventType; readonly run?: string } = {},
    options?: CallOptions,
  ) {
    return this.#get<EventPage>(path`/sessions/${id}/events`, { ...query }, options);
  }

  /** The session as it was when it had so many events. */
  replay(id: string, until: number, options?: CallOptions) {
    return this.#get<Replay>(path`/sessions/${id}/replay`, { until }, options);
  }

  search(text: string, query: { readonly limit?: number } = {}, options?: CallOptions) {
    return this.#get<AnswerTo<"get", "/search">>("/search", { ...query, q: text }, options);
  }

  /** Content that is there already is the same file again, so it may be repeated. */
  uploadFile({ name, mediaType, content }: NewFile, { signal, attempts }: CallOptions = {}) {
    return this.#transport.request(
      {
        ...{ method: "POST", path: "/files", isRepeatable: true, signal, attempts },
        content: { type: mediaType, data: content },
        headers: { "X-File-Name": encodeURIComponent(name) },
      },
      json<AnswerTo<"post", "/files">>,
    );
  }

  describeFile(id: string, options?: CallOptions) {
    return this.#get<AnswerTo<"get", "/files/{file}">>(path`/files/${id}`, {}, options);
  }

  downloadFile(id: string, { signal, attempts }: CallOptions = {}): Promise<Blob> {
    return this.#transport.request(
      { method: "GET", path: path`/files/${id}/content`, signal, attempts },
      (response) => response.blob(),
    );
  }

  listAgents(query: PageQuery = {}, options?: CallOptions) {
    return this.#get<AnswerTo<"get", "/agents">>("/agents", { ...query }, options);
  }

  addAgent(agent: NewAgent, options?: CallOptions) {
    return this.#once<AnswerTo<"post", "/agents">>("POST", "/agents", agent, options);
  }

  changeAgent(name: string, change: AgentChange, options?: CallOptions) {
    return this.#once<AnswerTo<"patch", "/agents/{name}">>("PATCH", path`/agents/${name}`, change, options);
  }

  removeAgent(name: string, options?: CallOptions) {
    return this.#once<undefined>("DELETE", path`/agents/${name}`, undefined, options);
  }

  /** Takes a removal back, with the credentials as they were. */
  restoreAgent(name: string, options?: CommandOptions) {
    return this.#command<AnswerTo<"post", "/agents/{name}/restore">>(
      "POST",
      path`/agents/${name}/restore`,
      undefined,
      options,
    );
  }

  /** What would be found if the agent were added; nothing is kept. */
  checkAgent(agent: NewAgent, options?: CallOptions) {
    return this.#once<AnswerTo<"post", "/agent-checks">>("POST", "/agent-checks", agent, options);
  }

  recheckAgent(name: string, options?: CallOptions) {
    return this.#once<AnswerTo<"post", "/agents/{name}/recheck">>(
      "POST",
      path`/agents/${name}/recheck`,
      undefined,
      options,
    );
  }

  /** Notifications of tasks that were given up, the newest first. */
  listDeadLetters(query: { readonly taskId?: string; readonly limit?: number } = {}, options?: CallOptions) {
    return this.#get<AnswerTo<"get", "/webhooks/dead-letters">>(
      "/webhooks/dead-letters",
      { ...query },
      options,
    );
  }

  /** Sends again what was given up: all of a task, of one of its webhooks, or just one. */
  replayDeadLetters(replay: DeadLetterReplay, options?: CallOptions) {
    return this.#once<AnswerTo<"post", "/webhooks/dead-letters/replay">>(
      "POST",
      "/webhooks/dead-letters/replay",
      replay,
      options,
    );
  }

  readSettings(options?: CallOptions) {
    return this.#get<Settings>("/settings", {}, options);
  }

  /** Takes one small turn with the model, or with the one in use. */
  testModel(model?: string, options?: CallOptions) {
    return this.#once<ModelTest>("POST", "/settings/model-test", { ...(model && { model }) }, options);
  }

  /** The API keys of the workspace, without their secrets; for its owners. */
  listKeys(query: { readonly workspace?: string } = {}, options?: CallOptions) {
    return this.#get<AnswerTo<"get", "/keys">>("/keys", query, options);
  }

  /** Makes a key; its secret is in this answer and nowhere else. */
  createKey(key: NewKey, options?: CommandOptions) {
    return this.#command<AnswerTo<"post", "/keys">>("POST", "/keys", key, options);
  }

  /** Streams that are open under it end. */
  revokeKey(id: string, { workspace }: { readonly workspace?: string } = {}, options?: CommandOptions) {
    const of = workspace === undefined ? "" : `?workspace=${encodeURIComponent(workspace)}`;
    return this.#command<undefined>("DELETE", path`/keys/${id}` + of, undefined, options);
  }

  /** Who did what, the newest first; for owners of the workspace. */
  audit(query: AuditQuery = {}, options?: CallOptions) {
    return this.#get<AnswerTo<"get", "/audit">>("/audit", { ...query }, options);
  }

  /** Who the caller is, and in which workspace. */
  me(options?: CallOptions) {
    return this.#get<Me>("/me", {}, options);
  }

  /** For requests of this browser that name no workspace. */
  chooseWorkspace(id: string, options?: CallOptions) {
    return this.#once<undefined>("PUT", "/me/workspace", { id }, options);
  }

  createWorkspace(name: string, options?: CommandOptions) {
    return this.#command<AnswerTo<"post", "/workspaces">>("POST", "/workspaces", { name }, options);
  }

  /** Who is in a workspace; who is invited, for its owners. */
  members(workspace: string, options?: CallOptions) {
    return this.#get<Members>(path`/workspaces/${workspace}/members`, {}, options);
  }

  /** Makes a user a member, or invites whoever signs in with an address. */
  addMember(workspace: string, member: NewMember, options?: CommandOptions) {
    return this.#command<Members>("POST", path`/workspaces/${workspace}/members`, member, options);
  }

  setRole(workspace: string, userId: string, role: Role, options?: CommandOptions) {
    return this.#command<Members>(
      "PATCH",
      path`/workspaces/${workspace}/members/${userId}`,
      { role },
      options,
    );
  }

  /** What they have open in it ends; one's own id leaves it. */
  removeMember(workspace: string, userId: string, options?: CommandOptions) {
    const at = path`/workspaces/${workspace}/members/${userId}`;
    return this.#command<undefined>("DELETE", at, undefined, options);
  }

  /** Takes an invitation back. */
  uninvite(workspace: string, email: string, options?: CommandOptions) {
    const at = path`/workspaces/${workspace}/invitations/${email}`;
    return this.#command<undefined>("DELETE", at, undefined, options);
  }

  /** The links to all sessions of the caller's that hold. */
  ownShares(query: PageQuery = {}, options?: CallOptions) {
    return this.#get<AnswerTo<"get", "/shares">>("/shares", { ...query }, options);
  }

  /** The links to a session that hold. */
  listShares(id: string, options?: CallOptions) {
    return this.#get<AnswerTo<"get", "/sessions/{id}/shares">>(path`/sessions/${id}/shares`, {}, options);
  }

  /** Makes a link by which anybody reads the session; its token is told this once. */
  makeShare(id: string, share: NewShare = {}, options?: CommandOptions) {
    return this.#command<AnswerTo<"post", "/sessions/{id}/shares">>(
      "POST",
      path`/sessions/${id}/shares`,
      share,
      options,
    );
  }

  revokeShare(id: string, shareId: string, options?: CommandOptions) {
    return this.#command<undefined>("DELETE", path`/sessions/${id}/shares/${shareId}`, undefined, options);
  }

  /** The events of the session that a link opens, whose token the client sends. */
  listSharedEvents(query: PageQuery = {}, options?: CallOptions) {
    return this.#get<EventPage>("/shared/events", { ...query }, options);
  }

  /** The events as JSON lines, or the messages as Markdown. */
  exportSession(id: string, format: "jsonl" | "markdown", { signal, attempts }: CallOptions = {}) {
    return this.#transport.request(
      { method: "GET", path: path`/sessions/${id}/export`, query: { format }, signal, attempts },
      (response) => response.text(),
    );
  }

  importSession(session: { readonly id?: string; readonly content: string }, options?: CommandOptions) {
    return this.#command<AnswerTo<"post", "/sessions/import">>("POST", "/sessions/import", session, options);
  }

  #get<Result>(at: string, query: object, { signal, attempts }: CallOptions = {}): Promise<Result> {
    const given = query as Record<string, string | number | boolean | undefined>;
    return this.#transport.request({ method: "GET", path: at, query: given, signal, attempts }, json<Result>);
  }

  #command<Result>(
    method: Method,
    at: string,
    body: unknown,
    { signal, attempts, key = newId("key") }: CommandOptions = {},
  ): Promise<Result> {
    return this.#transport.request({ method, path: at, body, key, signal, attempts }, json<Result>);
  }

  /** Commands that have no key there: repeating one blindly could be refused though the first was done. */
  #once<Result>(
    method: Method,
    at: string,
    body: unknown,
    { signal, attempts }: CallOptions = {},
  ): Promise<Result> {
    return this.#transport.request({ method, path: at, body, signal, attempts }, json<Result>);
  }
}

async function json<Result>(response: Response): Promise<Result> {
  return response.status === 204 ? (undefined as Result) : ((await response.json()) as Result);
}
