import type { Journal } from "@parley/journal";
import {
  type ApprovalRow,
  CommandRefusedError,
  type Executed,
  OpenSession,
  type Principal,
  type RecordedSessionEvent,
  type RunRow,
  type SearchHit,
  type SessionCommand,
  type SessionEvent,
  type SessionRow,
  type SessionState,
  type Sessions,
  sessionAt,
  sessionStream,
  type WorkspaceEvent,
  workspaceStream,
} from "@parley/sessions";

/** Sessions straight from the journal, without tables: enough to serve the API from, at the cost of reading all for a list. */
export class JournalSessions implements Sessions {
  readonly #journal: Journal;
  readonly #open = new Map<string, OpenSession>();
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async execute(
    principal: Principal,
    sessionId: string,
    command: SessionCommand,
    { key }: { readonly key?: string } = {},
  ): Promise<Executed> {
    const before = this.#turns.get(sessionId) ?? Promise.resolve();
    const turn = before.then(async (): Promise<Executed> => {
      const state = await this.#session(sessionId).current();
      const isOthers = state.index > 0 && !isOf(principal, state);
      if (isOthers && command.type !== "create")
        throw new CommandRefusedError("not_found", `There is no session ${sessionId}`);
      if (key !== undefined && !isOthers && (await this.#keys(sessionId)).has(key))
        return { state, repeated: true };
      return this.#session(sessionId).carryOut(command, key);
    });
    this.#turns.set(
      sessionId,
      turn.catch(() => {}),
    );
    return turn;
  }

  async state(principal: Principal, sessionId: string): Promise<SessionState> {
    const state = await this.#session(sessionId).current();
    if (state.index > 0 && isOf(principal, state)) return state;
    throw new CommandRefusedError("not_found", `There is no session ${sessionId}`);
  }

  async stateAt(principal: Principal, sessionId: string, eventIndex: number): Promise<SessionState> {
    await this.state(principal, sessionId);
    return sessionAt(this.#journal, sessionId, eventIndex);
  }

  async events(principal: Principal, sessionId: string, after: number, limit: number) {
    await this.state(principal, sessionId);
    const events = await this.#journal.read<SessionEvent>(sessionStream(sessionId), after, limit);
    return events.map(({ index, at, payload }) => ({ index, at, event: payload }));
  }

  async *follow(
    principal: Principal,
    sessionId: string,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly RecordedSessionEvent[]> {
    await this.state(principal, sessionId);
    for await (const batch of this.#journal.follow<SessionEvent>(sessionStream(sessionId), after, signal))
      yield batch.map(({ index, at, payload }) => ({ index, at, event: payload }));
  }

  async list(principal: Principal, query: { limit: number; cursor?: string; status?: string }) {
    const facts = await this.#facts(principal, 0);
    const created = [...new Set(facts.map(({ sessionId }) => sessionId))].reverse();
    const rows = await this.#rows(principal, created);
    const isWanted = ({ status }: SessionRow) =>
      query.status === undefined ? status !== "deleted" : status === query.status;
    const at = query.cursor === undefined ? 0 : rows.findIndex(({ id }) => id === query.cursor) + 1;
    const rest = rows.slice(at).filter(isWanted);
    const sessions = rest.slice(0, query.limit);
    return { sessions, next: rest.length > sessions.length ? (sessions.at(-1)?.id ?? "") : "" };
  }

  async changes(principal: Principal, since: number, limit: number) {
    const all = await this.#allFacts(principal, since, limit);
    const facts = await this.#own(principal, all);
    const ids = [...new Set(facts.map(({ sessionId }) => sessionId))];
    const rows = await this.#rows(principal, ids);
    const isCreated = new Set(
      facts.filter(({ change }) => change === "created").map(({ sessionId }) => sessionId),
    );
    return {
      changed: rows.filter(({ status }) => status !== "deleted"),
      created: [...isCreated],
      deleted: rows.filter(({ status }) => status === "deleted").map(({ id }) => id),
      cursor: all.at(-1)?.index ?? since,
    };
  }

  async changesHead({ workspace }: Principal): Promise<number> {
    const head = this.#journal.head(workspaceStream(workspace));
    return head.catch(() => 0);
  }

  async *followChanges(principal: Principal, after: number, signal: AbortSignal) {
    const stream = workspaceStream(principal.workspace);
    for await (const batch of this.#journal.follow<WorkspaceEvent>(stream, after, signal)) {
      const facts = batch.map(({ index, payload }) => ({ index, ...payload }));
      yield await this.#own(principal, facts);
    }
  }

  async search(principal: Principal, text: string, limit: number): Promise<SearchHit[]> {
    const states = await this.#states(principal);
    const hits = states.flatMap(({ id, title, messages }) => [
      ...(title.includes(text) ? [{ sessionId: id, title, excerpt: title }] : []),
      ...messages
        .filter(({ content }) => content.includes(text))
        .map((message) => ({ sessionId: id, messageId: message.id, title, excerpt: message.content })),
    ]);
    return hits.slice(0, limit);
  }

  async approvals(
    principal: Principal,
    { open, limit }: { open?: boolean; limit: number },
  ): Promise<ApprovalRow[]> {
    const states = await this.#states(principal);
    const rows = states.flatMap(({ id: sessionId, approvals }) =>
      [...approvals.values()].map(
        ({ id, runId, question, request, answer }): ApprovalRow => ({
          ...{ id, sessionId, runId, question, requestedAt: 0 },
          ...(request.tool !== undefined && { tool: request.tool }),
          ...(answer && { decision: answer.decision, answeredAt: 0 }),
        }),
      ),
    );
    return rows
      .filter(({ decision }) => open === undefined || open === (decision === undefined))
      .slice(0, limit);
  }

  async runs(
    principal: Principal,
    { sessionId, limit }: { sessionId?: string; limit: number },
  ): Promise<RunRow[]> {
    const states = await this.#states(principal);
    const rows: RunRow[] = [];
    for (const { id, runs } of states.filter((state) => sessionId === undefined || state.id === sessionId)) {
      const events = await this.events(principal, id, 0, 10_000);
      for (const { texts: _, plan: __, ...run } of runs.values()) {
        const of = (type: SessionEvent["type"]) =>
          events.find(({ event }) => event.type === type && "runId" in event && event.runId === run.id);
        const end = of("agent_complete") ?? of("agent_cancelled");
        const usage = end?.event.type === "agent_complete" ? end.event.usage : undefined;
        rows.push({
          ...{ ...run, sessionId: id, startedAt: of("agent_start")?.at ?? 0 },
          ...(end && { completedAt: end.at }),
          ...(usage && { usage }),
        });
      }
    }
    return rows.slice(0, limit);
  }

  onCommitted(): () => void {
    return () => {};
  }

  #session(id: string): OpenSession {
    let session = this.#open.get(id);
    if (!session) {
      session = new OpenSession(this.#journal, id);
      this.#open.set(id, session);
    }
    return session;
  }

  async #keys(sessionId: string): Promise<Set<string>> {
    const { index } = await this.#session(sessionId).current();
    if (index === 0) return new Set();
    const events = await this.#journal.read<{ key?: string }>(sessionStream(sessionId), 0, index);
    return new Set(events.flatMap(({ payload }) => payload.key ?? []));
  }

  async #facts(principal: Principal, since: number) {
    return this.#own(principal, await this.#allFacts(principal, since, 100_000));
  }

  async #allFacts(principal: Principal, since: number, limit: number) {
    if (since === 0 && (await this.changesHead(principal)) === 0) return [];
    const stream = workspaceStream(principal.workspace);
    const facts = await this.#journal.read<WorkspaceEvent>(stream, since, limit);
    return facts.map(({ index, payload }) => ({ index, ...payload }));
  }

  async #own<Fact extends WorkspaceEvent>(principal: Principal, facts: readonly Fact[]): Promise<Fact[]> {
    const own: Fact[] = [];
    for (const fact of facts)
      if (isOf(principal, await this.#session(fact.sessionId).current())) own.push(fact);
    return own;
  }

  async #states(principal: Principal): Promise<SessionState[]> {
    const ids = new Set((await this.#facts(principal, 0)).map(({ sessionId }) => sessionId));
    const states = await Promise.all([...ids].map((id) => this.#session(id).current()));
    return states.filter(({ status }) => status !== "deleted");
  }

  async #rows(principal: Principal, ids: readonly string[]): Promise<SessionRow[]> {
    const states = await Promise.all(ids.map((id) => this.#session(id).current()));
    return Promise.all(
      states.map(async ({ id, title, status, index, messages, parent, agent }) => {
        const [first] = await this.events(principal, id, 0, 1);
        const [last] = await this.events(principal, id, index - 1, 1);
        return {
          ...{ id, title, status, createdAt: first?.at ?? 0, updatedAt: last?.at ?? 0 },
          ...{ revision: index, messageCount: messages.length },
          ...(parent && { parentId: parent.sessionId }),
          ...(agent !== undefined && { agent }),
        };
      }),
    );
  }
}

function isOf(principal: Principal, { owner, workspace }: SessionState): boolean {
  return owner === principal.owner && workspace === principal.workspace;
}
