/** On whose behalf something is done. */
export interface Share {
  readonly workspace: string;
  readonly user: string;
}

export interface FairQueueOptions {
  /** At the same time, of all. */
  readonly total?: number;
  /** At the same time, of one user. */
  readonly perUser?: number;
}

interface Waiting {
  begin(): void;
}

/** Limits concurrency and shares it fairly: round robin over workspaces, and over the users of each. */
export class FairQueue {
  readonly #total: number;
  readonly #perUser: number;
  /** Those who were served last are at the end of each. */
  readonly #workspaces = new Map<string, Map<string, Set<Waiting>>>();
  readonly #active = new Map<string, number>();
  #busy = 0;

  constructor(options: FairQueueOptions = {}) {
    this.#total = options.total ?? Number.POSITIVE_INFINITY;
    this.#perUser = options.perUser ?? Number.POSITIVE_INFINITY;
  }

  /** Waits for a turn, which ends when what it gives is disposed of; rejects with the signal's reason when that aborts first. */
  async enter(share: Share, signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted();
    const turn = Promise.withResolvers<void>();
    const waiting: Waiting = { begin: turn.resolve };
    const users = this.#workspaces.get(share.workspace) ?? new Map<string, Set<Waiting>>();
    const own = users.get(share.user) ?? new Set();
    this.#workspaces.set(share.workspace, users.set(share.user, own.add(waiting)));
    const gaveUp = () => {
      if (this.#forget(share, waiting)) turn.reject(signal?.reason);
    };
    signal?.addEventListener("abort", gaveUp, { once: true });
    this.#serve();
    try {
      await turn.promise;
    } finally {
      signal?.removeEventListener("abort", gaveUp);
    }
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        this.#left(share);
      },
    };
  }

  #serve(): void {
    while (this.#busy < this.#total) {
      const next = this.#next();
      if (!next) return;
      const { share, waiting } = next;
      this.#forget(share, waiting);
      this.#busy++;
      this.#active.set(keyOf(share), (this.#active.get(keyOf(share)) ?? 0) + 1);
      waiting.begin();
    }
  }

  #next(): { readonly share: Share; readonly waiting: Waiting } | undefined {
    for (const [workspace, users] of this.#workspaces) {
      for (const [user, own] of users) {
        const share = { workspace, user };
        const [waiting] = own;
        if (!waiting || (this.#active.get(keyOf(share)) ?? 0) >= this.#perUser) continue;
        this.#workspaces.delete(workspace);
        this.#workspaces.set(workspace, users);
        users.delete(user);
        users.set(user, own);
        return { share, waiting };
      }
    }
    return undefined;
  }

  #left(share: Share): void {
    this.#busy--;
    const left = (this.#active.get(keyOf(share)) ?? 1) - 1;
    if (left > 0) this.#active.set(keyOf(share), left);
    else this.#active.delete(keyOf(share));
    this.#serve();
  }

  #forget({ workspace, user }: Share, waiting: Waiting): boolean {
    const users = this.#workspaces.get(workspace);
    const own = users?.get(user);
    const wasThere = own?.delete(waiting) ?? false;
    if (own?.size === 0) users?.delete(user);
    if (users?.size === 0) this.#workspaces.delete(workspace);
    return wasThere;
  }
}

function keyOf({ workspace, user }: Share): string {
  return JSON.stringify([workspace, user]);
}
