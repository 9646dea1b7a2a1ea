import { LruMap } from "@parley/journal";

/** How far an account may exceed its share. */
const CREDIT_MS = 1_000;
/** Debt beyond this wait is forgiven. */
export const MAX_WAIT_MS = 5_000;
/** How long an account counts as present after its last turn. */
export const RECENT_MS = 1_000;
const MAX_ACCOUNTS = 10_000;

/** Elapsed milliseconds, and those in which the event loop was busy. */
export interface LoopClock {
  now(): number;
  busy(): number;
}

/** The event loop time of a user or workspace. */
interface Account {
  /** Active turns. */
  active: number;
  /** Time used beyond the share at the moment `at`, when the cost per turn was `total`. */
  debtMs: number;
  at: number;
  total: number;
}

interface Visit {
  readonly account: Account;
  readonly at: number;
}

/** Charges the busy time of the event loop to the accounts with active turns, in equal parts per turn. */
export class LoopAccounts {
  readonly #clock: LoopClock;
  readonly #share: number;
  readonly #accounts = new LruMap<string, Account>(MAX_ACCOUNTS);
  #active = 0;
  /** The cost of a turn that was always active. */
  #total = 0;
  #busyAt: number;
  #last: Visit | undefined;
  /** The last turn of another account. */
  #lastOther: Visit | undefined;

  constructor(clock: LoopClock, share: number) {
    this.#clock = clock;
    this.#share = share;
    this.#busyAt = clock.busy();
  }

  of(name: string): Account {
    const known = this.#accounts.get(name);
    const account = known ?? { active: 0, debtMs: 0, at: this.#clock.now(), total: 0 };
    if (!known) this.#accounts.set(name, account);
    this.#settle(account);
    return account;
  }

  begin(account: Account, feeMs: number): void {
    if (this.#last?.account !== account) this.#lastOther = this.#last;
    this.#last = { account, at: this.#clock.now() };
    account.debtMs += feeMs;
    account.active++;
    this.#active++;
  }

  end(account: Account): void {
    this.#settle(account);
    account.active--;
    this.#active--;
  }

  /** Zero for an account that is alone. */
  waitMs(account: Account): number {
    const other = this.#last?.account === account ? this.#lastOther : this.#last;
    const isVisited = other !== undefined && this.#clock.now() - other.at < RECENT_MS;
    const isAlone = this.#active === account.active && !isVisited;
    return isAlone ? 0 : Math.max(0, account.debtMs / this.#share - CREDIT_MS);
  }

  #settle(account: Account): void {
    const [now, busy] = [this.#clock.now(), this.#clock.busy()];
    if (this.#active > 0) this.#total += (busy - this.#busyAt) / this.#active;
    this.#busyAt = busy;
    const charged = account.active * (this.#total - account.total);
    const debtMs = account.debtMs + charged - this.#share * (now - account.at);
    account.debtMs = Math.min(Math.max(0, debtMs), this.#share * (CREDIT_MS + MAX_WAIT_MS));
    account.at = now;
    account.total = this.#total;
  }
}
