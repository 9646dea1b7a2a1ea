import { setTimeout } from "node:timers/promises";
import { unless } from "@parley/adapters";
import { activeRun, type Principal, type RecordedSessionEvent, type Sessions } from "@parley/sessions";
import type { EventCursor } from "./event-cursor.ts";
import type { EventFeed } from "./event-feed.ts";

const RECENT_RUNS = 1_000;
const POLL_MS = 250;

/** A session that is followed now, or was until the workspace's stream caught up with it. */
interface Followed {
  isFollowed: boolean;
  /** It has changed since it was last checked for being quiet. */
  hasChanged: boolean;
  /** From this index of the workspace's stream on, the cursor need not name the session. */
  knownUntil?: number;
}

/**
 * Streams all sessions of a workspace. The workspace's stream names each session that changes; that session is
 * followed until it is idle again. So the cost of a connection depends on activity, not on the number of sessions, and
 * its cursor names only active sessions.
 */
export class WorkspaceFeed {
  readonly #sessions: Sessions;
  readonly #principal: Principal;
  readonly #feed: EventFeed;
  readonly #cursor: EventCursor;
  readonly #followed = new Map<string, Followed>();

  constructor(sessions: Sessions, principal: Principal, feed: EventFeed, cursor: EventCursor) {
    this.#sessions = sessions;
    this.#principal = principal;
    this.#feed = feed;
    this.#cursor = cursor;
  }

  /** Starts at the cursor; where it is not valid here, starts now and sends a reset to a reader that resumes. */
  async start({ isResumed }: { isResumed: boolean }): Promise<void> {
    const head = await this.#sessions.changesHead(this.#principal);
    const identity = await this.#sessions.identity();
    const { workspace, record } = this.#cursor;
    const isOurs = record === identity && workspace !== undefined && workspace <= head;
    if (!isOurs) {
      this.#cursor.clear();
      this.#cursor.workspace = head;
      this.#cursor.record = identity;
    }
    const { places, ahead } = await this.#places(isOurs ? this.#cursor.ids() : await this.#running());
    await this.#feed.notice({ event: "ready", data: { sessions: places } });
    for (const id of ahead) await this.#feed.reset(id, places[id] ?? 0);
    if (isResumed && !isOurs)
      await this.#feed.notice({ event: "reset", data: { sessionId: "*", index: head } });
    for (const id of Object.keys(places)) this.#follow(id);
    await this.#feed.run(async () => {
      await this.#firstChange();
      await this.#changes();
    });
  }

  /** Sessions with an active run. */
  async #running(): Promise<string[]> {
    const runs = await this.#sessions.runs(this.#principal, { limit: RECENT_RUNS });
    const running = runs.filter(({ status }) => status === "running" || status === "waiting");
    return [...new Set(running.map(({ sessionId }) => sessionId))];
  }

  /** Where each session continues: at the cursor's index, or at its end. */
  async #places(ids: readonly string[]): Promise<{ places: Record<string, number>; ahead: string[] }> {
    const places: Record<string, number> = {};
    const ahead: string[] = [];
    for (const id of ids) {
      const known = this.#cursor.of(id);
      const state = await unless("not_found", this.#sessions.state(this.#principal, id));
      if (!state) this.#cursor.delete(id);
      else {
        places[id] = Math.min(known ?? state.index, state.index);
        this.#cursor.set(id, places[id]);
        if (known !== undefined && known > state.index) ahead.push(id);
      }
    }
    return { places, ahead };
  }

  /** The stream of a workspace exists, and can be followed, only after its first change. */
  async #firstChange(): Promise<void> {
    const { signal } = this.#feed;
    while ((await this.#sessions.changesHead(this.#principal)) === 0)
      await setTimeout(POLL_MS, undefined, { signal, ref: false });
  }

  async #changes(): Promise<void> {
    const after = this.#cursor.workspace ?? 0;
    for await (const batch of this.#sessions.followChanges(this.#principal, after, this.#feed.signal)) {
      for (const { sessionId, change, after: before, index } of batch) {
        this.#cursor.workspace = index;
        this.#forget(index);
        if (this.#cursor.of(sessionId) === undefined) this.#cursor.set(sessionId, before);
        this.#follow(sessionId);
        await this.#feed.notice({ event: "session_changed", data: { sessionId, change } });
      }
    }
  }

  #follow(sessionId: string): void {
    const known = this.#followed.get(sessionId);
    if (known?.isFollowed) {
      known.hasChanged = true;
      return;
    }
    const followed: Followed = { isFollowed: true, hasChanged: false };
    this.#followed.set(sessionId, followed);
    void this.#feed.run(async () => {
      do {
        followed.hasChanged = false;
        if (!(await this.#isQuiet(sessionId)))
          await this.#feed.follow(sessionId, (last) => endsSomething(last) && this.#isQuiet(sessionId));
        // Read before the last check, so that later changes have a higher index.
        followed.knownUntil = await this.#sessions.changesHead(this.#principal);
      } while (followed.hasChanged && !this.#feed.signal.aborted);
      followed.isFollowed = false;
    });
  }

  async #isQuiet(sessionId: string): Promise<boolean> {
    const state = await this.#sessions.state(this.#principal, sessionId);
    return activeRun(state) === undefined && state.index <= (this.#cursor.of(sessionId) ?? 0);
  }

  /** Forgets quiet sessions, all of whose changes were sent. */
  #forget(workspaceIndex: number): void {
    for (const [id, { isFollowed, knownUntil }] of this.#followed) {
      if (isFollowed || knownUntil === undefined || knownUntil >= workspaceIndex) continue;
      this.#followed.delete(id);
      this.#cursor.delete(id);
    }
  }
}

/** Whether the session may be quiet after this event, which it never is during a run. */
function endsSomething({ event }: RecordedSessionEvent): boolean {
  return event.type === "agent_complete" || event.type === "agent_cancelled" || !("runId" in event);
}
