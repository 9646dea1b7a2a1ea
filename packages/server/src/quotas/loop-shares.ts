import { FairQueue, type Share } from "@parley/a2a";
import { Problem } from "@parley/adapters";
import type { Identity } from "@parley/identity";
import { callerName } from "../api/request-rates.ts";
import { networkOf } from "../http/client-address.ts";
import { LoopAccounts, type LoopClock, MAX_WAIT_MS, RECENT_MS } from "./loop-accounts.ts";

/** The part of the event loop's time that a user may take while others work too, and so a whole workspace. */
const USER_SHARE = 0.3;
const WORKSPACE_SHARE = 0.6;
/** What a turn costs a user at the least: strangers load many small files. Workspaces pay a quarter of it. */
const FEE_MS = 8;
const STRANGER_FEE_MS = 1;
/** A turn counts for so long at the most: what takes longer mostly waits itself. */
const TURN_MS = 100;
/** Strangers may share an address with many others. */
const MAX_WAITING = 100;
const MAX_WAITING_STRANGERS = 1_000;
/** The workspace of all who have not shown who they are. */
const STRANGERS = "";

const CLOCK: LoopClock = {
  now: () => performance.now(),
  busy: () => performance.eventLoopUtilization().active,
};

/** Whose share of the event loop a caller uses; a link's readers are strangers. */
export function loopShareOf(caller: Pick<Identity, "owner" | "workspace" | "link" | "address">): Share {
  const { workspace, link, address = "" } = caller;
  return link === undefined ? { workspace, user: callerName(caller) } : strangerShare(address, link);
}

/** The share of whoever has not shown who they are: each network has its own, and all of them together that of one workspace. */
export function strangerShare(address: string, link = ""): Share {
  return { workspace: STRANGERS, user: `${networkOf(address)} ${link}` };
}

interface Waiting {
  readonly share: Share;
  /** When the turn comes in any case. */
  readonly until: number;
}

/** The turns that one user waits for. */
interface Queue {
  readonly waiting: Map<(turn: Disposable) => void, Waiting>;
  timer?: NodeJS.Timeout | undefined;
}

type Queues = Map<string, Queue>;

/**
 * Shares the event loop among workspaces, and within them among users. Whoever has taken more than a share waits before
 * the next turn, unless nobody else is there.
 */
export class LoopShares {
  readonly #clock: LoopClock;
  readonly #users: LoopAccounts;
  readonly #workspaces: LoopAccounts;
  readonly #queues: Queues = new Map();
  readonly #runs: Queues = new Map();
  readonly #bodies = new FairQueue({ perUser: 1 });

  constructor(clock: LoopClock = CLOCK) {
    this.#clock = clock;
    this.#users = new LoopAccounts(clock, USER_SHARE);
    this.#workspaces = new LoopAccounts(clock, WORKSPACE_SHARE);
  }

  /** Waits for a request's turn; throws a `Problem` where too many of the user's wait. */
  enterRequest(share: Share): Promise<Disposable> {
    const most = share.workspace === STRANGERS ? MAX_WAITING_STRANGERS : MAX_WAITING;
    if ((this.#queues.get(share.user)?.waiting.size ?? 0) < most) return this.enter(share);
    throw new Problem("rate_limited", `You have ${most} requests that wait for their turn: wait`, {
      retryAfter: Math.ceil(this.#waitMs({ share, until: Number.POSITIVE_INFINITY }) / 1_000) + 1,
    });
  }

  /** Waits for the user's turn, which ends when what it gives is disposed of; rejects with the signal's reason when that aborts first. */
  async enter(share: Share, signal?: AbortSignal): Promise<Disposable> {
    return this.#enter(this.#queues, { share, until: Number.POSITIVE_INFINITY }, signal);
  }

  /** The same for a run: it waits behind no request, and for at most five seconds, whatever others of its workspace take. */
  enterRun(share: Share, signal?: AbortSignal): Promise<Disposable> {
    return this.#enter(this.#runs, { share, until: this.#clock.now() + MAX_WAIT_MS }, signal);
  }

  /** The same for a large or late body: each of a user's is parsed, and charged, before the next one's turn. */
  async enterBody(share: Share): Promise<Disposable> {
    const place = await this.#bodies.enter(share);
    try {
      return await this.enter(share);
    } finally {
      setImmediate(() => place[Symbol.dispose]());
    }
  }

  /** Charges the user for all time until it is disposed of: nobody else gets anything recorded meanwhile. */
  hold({ user, workspace }: Share): Disposable {
    const began = this.#clock.now();
    return {
      [Symbol.dispose]: () => {
        const took = this.#clock.now() - began;
        this.#users.of(user).debtMs += took;
        this.#workspaces.of(workspace).debtMs += took;
      },
    };
  }

  async #enter(queues: Queues, waiting: Waiting, signal: AbortSignal | undefined): Promise<Disposable> {
    const { share } = waiting;
    if (!queues.has(share.user) && this.#waitMs(waiting) === 0) return this.#begin(share);
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>();
    const queue: Queue = queues.get(share.user) ?? { waiting: new Map() };
    queues.set(share.user, queue);
    const gaveUp = () => {
      if (queue.waiting.delete(resolve)) reject(signal?.reason);
    };
    signal?.addEventListener("abort", gaveUp, { once: true });
    queue.waiting.set(resolve, waiting);
    this.#serve(queues, share.user);
    return promise.finally(() => signal?.removeEventListener("abort", gaveUp));
  }

  #begin(share: Share): Disposable {
    const [user, workspace] = [this.#users.of(share.user), this.#workspaces.of(share.workspace)];
    const feeMs = share.workspace === STRANGERS ? STRANGER_FEE_MS : FEE_MS;
    this.#users.begin(user, feeMs);
    this.#workspaces.begin(workspace, feeMs / 4);
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      this.#users.end(user);
      this.#workspaces.end(workspace);
    };
    const timer = setTimeout(end, TURN_MS).unref();
    return { [Symbol.dispose]: end };
  }

  // The others may go long before the debt is paid.
  #serve(queues: Queues, user: string): void {
    const queue = queues.get(user);
    const [next] = queue?.waiting ?? [];
    if (!queue || !next) {
      queues.delete(user);
      return;
    }
    const [begin, waiting] = next;
    queue.timer ??= setTimeout(
      () => {
        queue.timer = undefined;
        if (queue.waiting.has(begin) && this.#waitMs(waiting) === 0) {
          queue.waiting.delete(begin);
          begin(this.#begin(waiting.share));
        }
        this.#serve(queues, user);
      },
      Math.min(this.#waitMs(waiting), RECENT_MS / 4),
    ).unref();
  }

  #waitMs({ share: { user, workspace }, until }: Waiting): number {
    const ofUser = this.#users.waitMs(this.#users.of(user));
    const ofWorkspace = this.#workspaces.waitMs(this.#workspaces.of(workspace));
    return Math.min(Math.max(ofUser, ofWorkspace), Math.max(0, until - this.#clock.now()));
  }
}
