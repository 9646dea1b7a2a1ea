import { setTimeout as sleep } from "node:timers/promises";
import type { SqlDatabase, SqlValue } from "@parley/journal";
import type { Addition, Principal } from "@parley/sessions";
import { callerName } from "../api/caller-name.ts";
import { Problem } from "../api/problem.ts";
import { isUserId } from "../people/people-events.ts";
import { type QuotaSettings, settingOf } from "../quota-settings.ts";

type Kind = keyof Addition;
const KINDS: readonly Kind[] = ["bytes", "sessions", "runs"];
const NOTHING: Addition = { bytes: 0, sessions: 0, runs: 0 };

/** What is stored is looked at anew so often, and before anybody is refused. */
const FRESH_MS = 2_000;
const MOST_KNOWN = 10_000;
const LOOKS = 4;
const SETTLING_MS = 20;
/** What may help is not for seconds to tell, unless runs end. */
const RETRY_AFTER_SECONDS = { runs: 5, sessions: 60 };

interface Known {
  /** When it was looked at last. */
  at: number;
  stored: Addition;
  /** Admitted since that look began. */
  since: Addition;
  /** The same, of the look that is under way. */
  next: Addition;
  /** Admitted, and not recorded yet. */
  pending: Addition;
  looking?: Promise<void> | undefined;
}

type Scope = keyof QuotaSettings;
const SCOPES: readonly Scope[] = ["user", "workspace"];

/** Says how much of each thing users and workspaces have, by what all nodes have stored, and refuses what is too much. */
export class Quotas {
  readonly #database: SqlDatabase;
  readonly #settings: QuotaSettings;
  readonly #known = new Map<string, Known>();

  constructor(database: SqlDatabase, settings: QuotaSettings) {
    this.#database = database;
    this.#settings = settings;
  }

  /** A place for what somebody is about to add, given back when it is recorded or not; throws a `Problem` that names the limit. */
  async admit(principal: Principal, added: Addition): Promise<Disposable> {
    const known = { user: this.#of("user", principal), workspace: this.#of("workspace", principal) };
    for (let attempt = 0; ; attempt++) {
      // What is just being recorded may be counted twice.
      if (attempt > 1) await sleep(SETTLING_MS);
      for (const scope of SCOPES)
        if (attempt > 0 || performance.now() - known[scope].at > FRESH_MS)
          await this.#look(known[scope], scope, principal);
      const excess = SCOPES.map((scope) => this.#excess(scope, known[scope], added)).find(Boolean);
      if (!excess) break;
      const isSettled = SCOPES.every((scope) => KINDS.every((kind) => known[scope].pending[kind] === 0));
      if (attempt === LOOKS || (attempt > 0 && isSettled)) throw excess;
    }
    for (const each of Object.values(known)) {
      each.since = sum(each.since, added);
      each.next = sum(each.next, added);
      each.pending = sum(each.pending, added);
    }
    return {
      [Symbol.dispose]: () => {
        for (const each of Object.values(known)) each.pending = sum(each.pending, added, -1);
      },
    };
  }

  #of(scope: Scope, principal: Principal): Known {
    const key = `${scope} ${scope === "user" ? callerName(principal) : principal.workspace}`;
    const known = this.#known.get(key) ?? {
      ...{ at: Number.NEGATIVE_INFINITY, stored: NOTHING, since: NOTHING, next: NOTHING },
      pending: NOTHING,
    };
    // The last that was asked for is the last in the map.
    this.#known.delete(key);
    this.#known.set(key, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }

  #look(known: Known, scope: Scope, principal: Principal): Promise<void> {
    const look = async () => {
      const at = performance.now();
      known.next = known.pending;
      const stored = await this.#stored(scope, principal);
      Object.assign(known, { at, stored, since: known.next });
    };
    known.looking ??= look().finally(() => {
      known.looking = undefined;
    });
    return known.looking;
  }

  #excess(scope: Scope, { stored, since }: Known, added: Addition): Problem | undefined {
    const has = sum(stored, since);
    const kind = KINDS.find(
      (each) => added[each] > 0 && has[each] + added[each] > this.#settings[scope][each],
    );
    return kind && this.#refusal(scope, kind, has[kind]);
  }

  async #stored(scope: Scope, { owner, workspace }: Principal): Promise<Addition> {
    const [where, parameters]: [string, SqlValue[]] =
      scope === "workspace"
        ? ["workspace = $1", [workspace]]
        : isUserId(owner)
          ? ["owner = $1", [owner]]
          : ["owner = $1 AND workspace = $2", [owner, workspace]];
    const [usage] = await this.#database.query<{ sessions: unknown; bytes: unknown }>(
      `SELECT coalesce(sum(CASE WHEN kind = 'session' THEN 1 ELSE 0 END), 0) AS sessions,
         coalesce(sum(bytes), 0) AS bytes FROM stored_usage WHERE ${where}`,
      parameters,
    );
    const [runs] = await this.#database.query<{ runs: unknown }>(
      `SELECT count(*) AS runs FROM agent_runs WHERE completed_at IS NULL AND ${where}`,
      parameters,
    );
    return { bytes: Number(usage?.bytes), sessions: Number(usage?.sessions), runs: Number(runs?.runs) };
  }

  #refusal(scope: Scope, kind: Kind, has: number): Problem {
    const who = scope === "user" ? "You have" : "Your workspace has";
    const most = this.#settings[scope][kind];
    const limit = `${who} ${Math.min(has, most)} of ${most} ${WORDS[kind]} (${settingOf(scope, kind)})`;
    if (kind === "bytes") return new Problem("too_large", `${limit}: delete sessions, or ask for more`);
    const advice = kind === "runs" ? "wait until some end" : "delete some, or ask for more";
    return new Problem("rate_limited", `${limit}: ${advice}`, { retryAfter: RETRY_AFTER_SECONDS[kind] });
  }
}

const WORDS: Record<Kind, string> = { bytes: "bytes stored", sessions: "sessions", runs: "open runs" };

function sum(one: Addition, other: Addition, sign: 1 | -1 = 1): Addition {
  return {
    bytes: one.bytes + sign * other.bytes,
    sessions: one.sessions + sign * other.sessions,
    runs: one.runs + sign * other.runs,
  };
}
