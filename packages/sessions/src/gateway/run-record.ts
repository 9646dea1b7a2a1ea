import { type Journal, type Lease, UnknownStreamError } from "@parley/journal";
import type { SessionEvent } from "../domain/session-event.ts";
import type { SessionState } from "../domain/session-state.ts";
import type { OpenSession } from "../open-session.ts";
import { runStream } from "../session-streams.ts";
import type { RunFrame } from "./run-frame.ts";

/** Frames that wait for the storage before the agent has to. */
const MAX_WAITING = 500;
const PAGE = 1_000;
const MAX_TOKEN_LENGTH = 65_536;

type Events = readonly SessionEvent[] | ((state: SessionState) => readonly SessionEvent[]);

/** Writes a run's frames and events: at once when idle, batched while a write is under way. */
export class RunRecord {
  readonly #session: OpenSession;
  readonly #lease: Lease;
  readonly #runId: string;
  #frames: RunFrame[] = [];
  #events: SessionEvent[] = [];
  #writing: Promise<void> | undefined;
  #failure: unknown;

  constructor(session: OpenSession, lease: Lease, runId: string) {
    this.#session = session;
    this.#lease = lease;
    this.#runId = runId;
  }

  /** Adds a frame with its events; resolves when there is room for more. */
  async add(frame: RunFrame, events: readonly SessionEvent[] = []): Promise<void> {
    if (this.#failure) throw this.#failure;
    this.#frames.push(frame);
    for (const event of events) this.#join(event);
    this.#writing ??= this.#write();
    if (this.#frames.length >= MAX_WAITING) await this.written();
  }

  /** Resolves when all that was added is committed. */
  async written(): Promise<void> {
    while (this.#writing) await this.#writing;
    if (this.#failure) throw this.#failure;
  }

  /** Writes this last, and waits for its commit. */
  async conclude(frame: RunFrame, events: Events): Promise<SessionState> {
    await this.written();
    return this.#session.append(this.#lease, this.#runId, events, [frame]);
  }

  async #write(): Promise<void> {
    // Lets a burst be written together.
    await Promise.resolve();
    try {
      for (let [first, ...rest] = this.#frames; first; [first, ...rest] = this.#frames) {
        const events = this.#events;
        this.#frames = [];
        this.#events = [];
        await this.#session.append(this.#lease, this.#runId, events, [first, ...rest]);
      }
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#writing = undefined;
    }
  }

  /** Joins waiting pieces of one text. */
  #join(event: SessionEvent): void {
    const last = this.#events.at(-1);
    const isNext =
      event.type === "agent_token" &&
      last?.type === "agent_token" &&
      last.artifactId === event.artifactId &&
      last.text.length + event.text.length <= MAX_TOKEN_LENGTH;
    if (isNext) this.#events[this.#events.length - 1] = { ...last, text: last.text + event.text };
    else this.#events.push(event);
  }
}

/** All frames of a run, oldest first. */
export async function* framesOf(journal: Journal, runId: string): AsyncGenerator<RunFrame, void, void> {
  for (let after = 0; ; ) {
    const page = await journal.read<RunFrame>(runStream(runId), after, PAGE).catch((error: unknown) => {
      if (error instanceof UnknownStreamError) return [];
      throw error;
    });
    for (const { payload } of page) yield payload;
    const last = page.at(-1);
    if (!last) return;
    after = last.index;
  }
}
