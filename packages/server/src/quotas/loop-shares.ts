import { FairQueue, type Share } from "@parley/a2a";
import { Problem } from "@parley/adapters";
import type { Identity } from "@parley/identity";
import { callerName } from "../api/request-rates.ts";
import { networkOf } from "../http/client-address.ts";
import { LoopAccounts, type LoopClock, MAX_WAIT_MS, RECENT_MS } from "./loop-accounts.ts";

/** The share of the event loop that a user, or a workspace, may use while others are active. */
const USER_SHARE = 0.3;
const WORKSPACE_SHARE = 0.6;
/** The minimum cost of a turn; browsers load many small files without credentials. Workspaces pay a quarter. */
const FEE_MS = 8;
const UNAUTHENTICATED_FEE_MS = 1;
/** The longest time that a turn is charged: longer ones mostly wait. */
const TURN_MS = 100;
/** Unauthenticated clients may share an address. */
const MAX_WAITING = 100;
const MAX_WAITING_UNAUTHENTICATED = 1_000;
/** The workspace of all unauthenticated clients. */
const UNAUTHENTICATED = "";

const CLOCK: LoopClock = {
  now: () => performance.now(),
  busy: () => performance.eventLoopUtilization().active,
};

/** The share of the event loop that a caller uses; readers of a link count as unauthenticated. */
export function loopShareOf(caller: Pick<Identity, "owner" | "workspace" | "link" | "address">): Share {
  const { workspace, link, address = "" } = caller;
  return link === undefined ? { workspace, user: callerName(caller) } : unauthenticatedShare(address, link);
}

/** The share of unauthenticated clients: one per network, and together that of one workspace. */
export function unauthenticatedShare(address: string, link = ""): Share {
  return { workspace: UNAUTHENTICATED, user: `${networkOf(address)} ${link}` };
}

interface Waiting {
  readonly share: Share;
  /** The turn starts at this time in any case. */
  readonly until: number;
}

interface Queue {
  readonly waiting: Map<(turn: Disposable) => void, Waiting>;
  timer?: NodeJS.Timeout | undefined;
}

type Queues = Map<string, Queue>;

/** Shares the event loop among workspaces and users: one over its share waits before the next turn, unless alone. */
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

  /** Waits for a request's turn; throws a `Problem` where too many requests of the user wait. */
  enterRequest(share: Share): Promise<Disposable> {
    const most = share.workspace === UNAUTHENTICATED ? MAX_WAITING_UNAUTHENTICATED : MAX_WAITING;
    if ((this.#queues.get(share.user)?.waiting.size ?? 0) < most) return this.enter(share);
    throw new Problem("rate_limited", `You have ${most} pending requests, the maximum; wait`, {
      retryAfter: Math.ceil(this.#waitMs({ share, until: Number.POSITIVE_INFINITY }) / 1_000) + 1,
    });
  }

  /** Waits for the user's turn, until the result is disposed of; rejects with the signal's reason. */
  async enter(share: Share, signal?: AbortSignal): Promise<Disposable> {
    return this.#enter(this.#queues, { share, until: Number.POSITIVE_INFINITY }, signal);
  }

  /** Waits for a run's turn: not behind requests, and for at most five seconds. */
  enterRun(share: Share, signal?: AbortSignal): Promise<Disposable> {
    return this.#enter(this.#runs, { share, until: this.#clock.now() + MAX_WAIT_MS }, signal);
  }

  /** Waits to parse a large or late body: one per user at a time. */
  async enterBody(share: Share): Promise<Disposable> {
    const place = await this.#bodies.enter(share);
    try {
      return await this.enter(share);
    } finally {
      setImmediate(() => place[Symbol.dispose]());
    }
  }

  /** Charges the user for all time until it is disposed of, because commits of others wait meanwhile. */
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
    const feeMs = share.workspace === UNAUTHENTICATED ? UNAUTHENTICATED_FEE_MS : FEE_MS;
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

  // Checked again before the debt is paid: the others may have left.
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
