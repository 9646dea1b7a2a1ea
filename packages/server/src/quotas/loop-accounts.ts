import { LruMap } from "@parley/journal";

/** Each may be ahead of its share by what that gives in so long. */
const CREDIT_MS = 1_000;
/** What would take longer to pay back is forgiven: the next turn waits no longer. */
export const MAX_WAIT_MS = 5_000;
/** Whoever began a turn so recently is still there. */
export const RECENT_MS = 1_000;
const MAX_ACCOUNTS = 10_000;

/** Milliseconds that have passed, and those of them in which the event loop was busy. */
export interface LoopClock {
  now(): number;
  busy(): number;
}

/** What one user, or one workspace, has taken. */
interface Account {
  /** Turns that have begun and still count. */
  underWay: number;
  /** The time taken beyond the share at the moment `at`, when all turns together had cost `total` each. */
  debtMs: number;
  at: number;
  total: number;
}

interface Visit {
  readonly account: Account;
  readonly at: number;
}

/** The accounts of users, or of workspaces: the busy time is charged to those who have turns under way, the same for each turn. */
export class LoopAccounts {
  readonly #clock: LoopClock;
  readonly #share: number;
  readonly #accounts = new LruMap<string, Account>(MAX_ACCOUNTS);
  #underWay = 0;
  /** What a turn would have cost that was always under way. */
  #total = 0;
  #busyAt: number;
  #last: Visit | undefined;
  /** The last of another account than the one above. */
  #lastOther: Visit | undefined;

  constructor(clock: LoopClock, share: number) {
    this.#clock = clock;
    this.#share = share;
    this.#busyAt = clock.busy();
  }

  of(name: string): Account {
    const known = this.#accounts.get(name);
    const account = known ?? { underWay: 0, debtMs: 0, at: this.#clock.now(), total: 0 };
    if (!known) this.#accounts.set(name, account);
    this.#settle(account);
    return account;
  }

  begin(account: Account, feeMs: number): void {
    if (this.#last?.account !== account) this.#lastOther = this.#last;
    this.#last = { account, at: this.#clock.now() };
    account.debtMs += feeMs;
    account.underWay++;
    this.#underWay++;
  }

  end(account: Account): void {
    this.#settle(account);
    account.underWay--;
    this.#underWay--;
  }

  /** None for whoever is alone. */
  waitMs(account: Account): number {
    const other = this.#last?.account === account ? this.#lastOther : this.#last;
    const isVisited = other !== undefined && this.#clock.now() - other.at < RECENT_MS;
    const isAlone = this.#underWay === account.underWay && !isVisited;
    return isAlone ? 0 : Math.max(0, account.debtMs / this.#share - CREDIT_MS);
  }

  #settle(account: Account): void {
    const [now, busy] = [this.#clock.now(), this.#clock.busy()];
    if (this.#underWay > 0) this.#total += (busy - this.#busyAt) / this.#underWay;
    this.#busyAt = busy;
    const charged = account.underWay * (this.#total - account.total);
    const debtMs = account.debtMs + charged - this.#share * (now - account.at);
    account.debtMs = Math.min(Math.max(0, debtMs), this.#share * (CREDIT_MS + MAX_WAIT_MS));
    account.at = now;
    account.total = this.#total;
  }
}
