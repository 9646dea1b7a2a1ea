import type { SqlRunner } from "@parley/journal";
import { z } from "zod";
import type { Principal } from "../../domain/session-command.ts";
import { insertRows, type Row } from "./rows.ts";

/** How an agent has done, over all its runs and delegations that have ended. */
export interface AgentStatistics {
  readonly agent: string;
  readonly runs: EndedWork;
  readonly delegations: EndedWork;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: readonly { readonly amount: number; readonly currency: string }[];
}

/** Work that has ended; times are in milliseconds, and absent where nothing was measured. */
interface EndedWork {
  readonly ended: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly meanMs?: number;
  readonly longestMs?: number;
  readonly meanFirstTokenMs?: number;
}

/** One run or delegation that has ended. */
export interface EndedOnce extends Principal {
  readonly agent: string;
  readonly kind: "run" | "delegation";
  readonly outcome: "completed" | "failed" | "cancelled";
  readonly durationMs?: number | undefined;
  readonly firstTokenMs?: number | undefined;
  readonly usage?: unknown;
}

const used = z.object({
  inputTokens: z.number().catch(0),
  outputTokens: z.number().catch(0),
  cost: z.object({ amount: z.number(), currency: z.string() }).optional().catch(undefined),
});

const WORK_SUMS = ["ended", "failed", "cancelled", "timed", "total_ms"] as const;
const TOKEN_SUMS = ["first_tokens", "first_token_ms", "input_tokens", "output_tokens"] as const;
const SUMS = [...WORK_SUMS, ...TOKEN_SUMS];

/** Adds what has ended; in one order on all nodes, to avoid deadlocks. */
export async function addStatistics(transaction: SqlRunner, ended: readonly EndedOnce[]): Promise<void> {
  const figures = new Map<string, Figures>();
  const costs = new Map<string, Row & { readonly amount: number }>();
  for (const one of ended) {
    const { workspace, owner, agent, kind } = one;
    const name = JSON.stringify([workspace, owner, agent, kind]);
    figures.set(name, sumOf(figures.get(name), figuresOf(one)));
    const cost = used.safeParse(one.usage).data?.cost;
    if (!cost) continue;
    const { amount, currency } = cost;
    const costName = JSON.stringify([workspace, owner, agent, currency]);
    const known = costs.get(costName)?.amount ?? 0;
    costs.set(costName, { workspace, owner, agent, currency, amount: known + amount });
  }
  const sums = SUMS.map((column) => `${column} = known.${column} + excluded.${column}`);
  const longest =
    "CASE WHEN excluded.longest_ms > known.longest_ms THEN excluded.longest_ms ELSE known.longest_ms END";
  await insertRows(
    transaction,
    "agent_statistics AS known",
    inOrder(figures),
    {},
    `ON CONFLICT (workspace, owner, agent, kind) DO UPDATE SET ${sums.join(", ")}, longest_ms = ${longest}`,
  );
  const onConflict = `ON CONFLICT (workspace, owner, agent, currency)
    DO UPDATE SET amount = known.amount + excluded.amount`;
  await insertRows(transaction, "agent_costs AS known", inOrder(costs), {}, onConflict);
}

type Figures = Row & Record<(typeof SUMS)[number] | "longest_ms", number>;

function figuresOf({ outcome, durationMs, firstTokenMs, usage, ...one }: EndedOnce): Figures {
  const { workspace, owner, agent, kind } = one;
  const { inputTokens = 0, outputTokens = 0 } = used.safeParse(usage).data ?? {};
  return {
    workspace,
    owner,
    agent,
    kind,
    ended: 1,
    failed: outcome === "failed" ? 1 : 0,
    cancelled: outcome === "cancelled" ? 1 : 0,
    timed: durationMs === undefined ? 0 : 1,
    total_ms: whole(durationMs),
    longest_ms: whole(durationMs),
    first_tokens: firstTokenMs === undefined ? 0 : 1,
    first_token_ms: whole(firstTokenMs),
    input_tokens: whole(inputTokens),
    output_tokens: whole(outputTokens),
  };
}

function sumOf(known: Figures | undefined, added: Figures): Figures {
  if (!known) return added;
  const sums = SUMS.map((column) => [column, known[column] + added[column]]);
  return {
    ...known,
    ...Object.fromEntries(sums),
    longest_ms: Math.max(known.longest_ms, added.longest_ms),
  };
}

function inOrder<Named>(named: ReadonlyMap<string, Named>): Named[] {
  return [...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

export async function selectStatistics(
  database: SqlRunner,
  { workspace, owner }: Principal,
): Promise<AgentStatistics[]> {
  const mine = "WHERE workspace = $1 AND owner = $2 ORDER BY agent";
  const rows = await database.query<StatisticsRow>(`SELECT * FROM agent_statistics ${mine}`, [
    workspace,
    owner,
  ]);
  const costs = await database.query<{ agent: string; currency: string; amount: number }>(
    `SELECT agent, currency, amount FROM agent_costs ${mine}, currency`,
    [workspace, owner],
  );
  return [...Map.groupBy(rows, ({ agent }) => agent)].map(([agent, own]) => {
    const sum = (column: "input_tokens" | "output_tokens") =>
      own.reduce((total, row) => total + Number(row[column]), 0);
    return {
      agent,
      runs: work(own.find(({ kind }) => kind === "run")),
      delegations: work(own.find(({ kind }) => kind === "delegation")),
      inputTokens: sum("input_tokens"),
      outputTokens: sum("output_tokens"),
      cost: costs
        .filter((cost) => cost.agent === agent)
        .map(({ amount, currency }) => ({ amount: Number(amount), currency })),
    };
  });
}

type StatisticsRow = { agent: string; kind: EndedOnce["kind"] } & Record<
  (typeof SUMS)[number] | "longest_ms",
  number | string
>;

function work(row: StatisticsRow | undefined): EndedWork {
  if (!row) return { ended: 0, failed: 0, cancelled: 0 };
  const [ended = 0, failed = 0, cancelled = 0, timed = 0, total = 0] = WORK_SUMS.map((name) =>
    Number(row[name]),
  );
  const firsts = Number(row.first_tokens);
  return {
    ended,
    failed,
    cancelled,
    ...(timed > 0 && { meanMs: Math.round(total / timed), longestMs: Number(row.longest_ms) }),
    ...(firsts > 0 && { meanFirstTokenMs: Math.round(Number(row.first_token_ms) / firsts) }),
  };
}

function whole(amount = 0): number {
  return Number.isFinite(amount) ? Math.max(0, Math.round(amount)) : 0;
}
