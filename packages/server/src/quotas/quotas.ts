import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "@parley/adapters";
import { isUserId, ownerKey } from "@parley/identity";
import { LruMap, type SqlDatabase, type SqlValue } from "@parley/journal";
import { SUPERVISOR } from "@parley/registry";
import type { Addition, Principal } from "@parley/sessions";
import { callerName } from "../api/request-rates.ts";
import { type QuotaSettings, settingOf } from "../quota-settings.ts";

type Kind = keyof Addition;
const KINDS: readonly Kind[] = ["bytes", "sessions", "runs"];
const NOTHING: Addition = { bytes: 0, sessions: 0, runs: 0 };

/** Stored usage is read again after this long, and before anybody is refused. */
const FRESH_MS = 2_000;
const MAX_KNOWN = 10_000;
/** The states of a task that has not ended. */
const OPEN = ["SUBMITTED", "WORKING", "INPUT_REQUIRED", "AUTH_REQUIRED"].map(
  (state) => `TASK_STATE_${state}`,
);
const MAX_ATTEMPTS = 4;
const SETTLING_MS = 20;
/** Runs end soon; sessions have to be deleted first. */
const RETRY_AFTER_SECONDS = { runs: 5, sessions: 60 };

interface Known {
  /** When the stored usage was read. */
  at: number;
  stored: Addition;
  /** Admitted since that read began. */
  since: Addition;
  /** Admitted since the read that is under way began. */
  next: Addition;
  /** Admitted, but not recorded yet. */
  pending: Addition;
  looking?: Promise<void> | undefined;
}

type Scope = keyof QuotaSettings;
const SCOPES: readonly Scope[] = ["user", "workspace"];

/** Limits what users and workspaces may store and run, by the usage that all nodes have recorded. */
export class Quotas {
  readonly #database: SqlDatabase;
  readonly #settings: QuotaSettings;
  readonly #known = new LruMap<string, Known>(MAX_KNOWN);

  constructor(database: SqlDatabase, settings: QuotaSettings) {
    this.#database = database;
    this.#settings = settings;
  }

  /** Reserves an addition until it is recorded or dropped; throws a `Problem` that names the exceeded limit. */
  async admit(principal: Principal, added: Addition): Promise<Disposable> {
    const known = { user: this.#of("user", principal), workspace: this.#of("workspace", principal) };
    for (let attempt = 0; ; attempt++) {
      // An addition that is being recorded may be counted twice.
      if (attempt > 1) await sleep(SETTLING_MS);
      for (const scope of SCOPES)
        if (attempt > 0 || performance.now() - known[scope].at > FRESH_MS)
          await this.#look(known[scope], scope, principal);
      const excess = SCOPES.map((scope) => this.#excess(scope, known[scope], added)).find(Boolean);
      if (!excess) break;
      const isExact = SCOPES.every((scope) => KINDS.every((kind) => known[scope].since[kind] === 0));
      if (attempt === MAX_ATTEMPTS || (attempt > 0 && isExact)) throw excess;
    }
    return this.reserve(principal, added);
  }

  /** Reserves an addition regardless of the limits. */
  reserve(principal: Principal, added: Addition): Disposable {
    const known = [this.#of("user", principal), this.#of("workspace", principal)];
    for (const each of known) {
      each.since = sum(each.since, added);
      each.next = sum(each.next, added);
      each.pending = sum(each.pending, added);
    }
    return {
      [Symbol.dispose]: () => {
        for (const each of known) each.pending = sum(each.pending, added, -1);
      },
    };
  }

  #of(scope: Scope, principal: Principal): Known {
    const key = `${scope} ${scope === "user" ? callerName(principal) : principal.workspace}`;
    const known = this.#known.get(key) ?? {
      ...{ at: Number.NEGATIVE_INFINITY, stored: NOTHING, since: NOTHING, next: NOTHING },
      pending: NOTHING,
    };
    this.#known.set(key, known);
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
    // What came by A2A is a run of a session a while after it began; until then it is a task alone.
    const name = `$${parameters.length + 1}`;
    const [whose, part] =
      scope === "workspace"
        ? [`substr(owner, 1, length(${name})) = ${name}`, `${SUPERVISOR}/${encodeURIComponent(workspace)}/`]
        : isUserId(owner)
          ? [
              `agent = '${SUPERVISOR}' AND substr(owner, 1 + length(owner) - length(${name})) = ${name}`,
              `/${owner}`,
            ]
          : [`owner = ${name}`, `${SUPERVISOR}/${ownerKey({ owner, workspace })}`];
    // A run of ours begins its task under its own name as key and as context, and an adopted one has its task's name.
    const [open] = await this.#database.query<{ runs: unknown; sessions: unknown }>(
      `WITH open_runs AS (SELECT run_id FROM agent_runs WHERE completed_at IS NULL AND ${where}),
         open_tasks AS (SELECT id, context FROM tasks WHERE state IN ('${OPEN.join("', '")}') AND ${whose})
       SELECT (SELECT count(*) FROM open_runs) + (SELECT count(*) FROM open_tasks WHERE NOT EXISTS
           (SELECT 1 FROM open_runs WHERE run_id = id OR (run_id = context AND EXISTS
             (SELECT 1 FROM request_keys WHERE stream = 'task/' || id AND key = run_id AND idx = 1)))) AS runs,
         (SELECT count(DISTINCT context) FROM open_tasks
           WHERE NOT EXISTS (SELECT 1 FROM agent_runs WHERE run_id IN (id, context))
             AND NOT EXISTS (SELECT 1 FROM sessions WHERE context_id = context AND ${where})) AS sessions`,
      [...parameters, part],
    );
    // After the tasks: one that becomes a session meanwhile counts twice, and not at all would be too little.
    const [usage] = await this.#database.query<{ sessions: unknown; bytes: unknown }>(
      `SELECT coalesce(sum(CASE WHEN kind = 'session' THEN 1 ELSE 0 END), 0) AS sessions,
         coalesce(sum(bytes), 0) AS bytes FROM stored_usage WHERE ${where}`,
      parameters,
    );
    return {
      ...{ bytes: Number(usage?.bytes), sessions: Number(usage?.sessions) + Number(open?.sessions) },
      runs: Number(open?.runs),
    };
  }

  #refusal(scope: Scope, kind: Kind, has: number): Problem {
    const who = scope === "user" ? "You have" : "Your workspace has";
    const most = this.#settings[scope][kind];
    const limit = `${who} ${Math.min(has, most)} of ${most} ${WORDS[kind]} (${settingOf(scope, kind)})`;
    if (kind === "bytes")
      return new Problem("too_large", `${limit}; delete sessions, or ask for a higher limit`);
    const advice = kind === "runs" ? "wait until some have ended" : "delete some, or ask for a higher limit";
    return new Problem("rate_limited", `${limit}; ${advice}`, { retryAfter: RETRY_AFTER_SECONDS[kind] });
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
