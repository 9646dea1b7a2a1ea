import type { Journal } from "@parley/journal";
import type { SessionCommand } from "../../domain/session-command.ts";
import type { SessionEvent } from "../../domain/session-event.ts";
import { activeRun, type SessionState } from "../../domain/session-state.ts";
import { OpenSession, type WorkspaceEvent } from "../../open-session.ts";
import { sessionStream, workspaceStream } from "../../session-streams.ts";
import type { RunQueue } from "../run-runner.ts";

/** All sessions of the workspace `w`, found by reading its stream. */
export class JournalSessions implements RunQueue {
  readonly #journal: Journal;
  readonly #open = new Map<string, OpenSession>();
  readonly #listeners = new Set<(sessionId: string, events: readonly SessionEvent[]) => void>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  session(id: string): OpenSession {
    const known = this.#open.get(id) ?? new OpenSession(this.#journal, id);
    this.#open.set(id, known);
    return known;
  }

  async execute(id: string, command: SessionCommand): Promise<SessionState> {
    const before = (await this.session(id).current()).index;
    const { state } = await this.session(id).carryOut(command);
    const events = await this.events(id, before);
    for (const listener of this.#listeners) listener(id, events);
    return state;
  }

  /** A session, its first message, and a run that answers it. */
  async ask(id: string, content: string, agent: { name: string; url: string }): Promise<string> {
    const state = await this.session(id).current();
    if (state.index === 0) await this.execute(id, { type: "create", workspace: "w", owner: "ann" });
    const runId = `${id}-r${state.runs.size + 1}`;
    const run = { runId, agent: agent.name, agentUrl: agent.url, contextId: runId };
    await this.execute(id, { type: "postMessage", messageId: `${runId}-m`, content, run });
    return runId;
  }

  async events(id: string, after = 0): Promise<SessionEvent[]> {
    const events: SessionEvent[] = [];
    for (let from = after; ; ) {
      const page = await this.#journal.read<SessionEvent>(sessionStream(id), from);
      events.push(...page.map(({ payload }) => payload));
      const last = page.at(-1);
      if (!last) return events;
      from = last.index;
    }
  }

  async open() {
    const news = await this.#journal.read<WorkspaceEvent>(workspaceStream("w"), 0, 10_000).catch(() => []);
    const ids = [...new Set(news.map(({ payload }) => payload.sessionId))];
    const states = await Promise.all(ids.map((id) => new OpenSession(this.#journal, id).current()));
    return states.flatMap((state) => {
      const run = activeRun(state);
      if (run?.status !== "running" && run?.status !== "waiting") return [];
      return [{ sessionId: state.id, runId: run.id, status: run.status }];
    });
  }

  onCommitted(listener: (sessionId: string, events: readonly SessionEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves with the first state of the session that is so; the test's own time limit ends the wait. */
  async until(id: string, isSo: (state: SessionState) => boolean): Promise<SessionState> {
    const state = await this.session(id).current();
    if (isSo(state)) return state;
    for await (const _ of this.#journal.follow(sessionStream(id), state.index)) {
      const now = await this.session(id).current();
      if (isSo(now)) return now;
    }
    throw new Error("The journal was closed");
  }

  ended(id: string, runId: string): Promise<SessionState> {
    return this.until(id, ({ runs }) => /completed|failed|cancelled/.test(runs.get(runId)?.status ?? ""));
  }
}
