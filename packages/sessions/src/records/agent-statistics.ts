import type { SqlRunner } from "@parley/journal";
import { z } from "zod";
import type { Principal } from "./principal.ts";

/** How an agent has done, over all that has ended: what a person asked it itself, and what was handed to it. */
export interface AgentStatistics {
  readonly agent: string;
  readonly runs: EndedWork;
  readonly delegations: EndedWork;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: readonly { readonly amount: number; readonly currency: string }[];
}

/** Work that has ended; times are in milliseconds, and absent where nothing was measured. */
export interface EndedWork {
  readonly ended: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly meanMs?: number;
  readonly longestMs?: number;
  /** From the start to the first token. */
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

/** Adds what has ended; in one order on all nodes, or two of them could wait for each other. */
export async function addStatistics(transaction: SqlRunner, ended: readonly EndedOnce[]): Promise<void> {
  const name = ({ workspace, owner, agent, kind }: EndedOnce) =>
    JSON.stringify([workspace, owner, agent, kind]);
  for (const one of [...ended].sort((a, b) => (name(a) < name(b) ? -1 : 1))) await add(transaction, one);
}

async function add(transaction: SqlRunner, one: EndedOnce): Promise<void> {
  const { workspace, owner, agent, kind, outcome, durationMs, firstTokenMs } = one;
  const { inputTokens = 0, outputTokens = 0, cost } = used.safeParse(one.usage).data ?? {};
  const count = (is: boolean) => (is ? 1 : 0);
  await transaction.query(
    `INSERT INTO agent_statistics AS known
       (workspace, owner, agent, kind, ended, failed, cancelled, timed, total_ms, longest_ms,
        first_tokens, first_token_ms, input_tokens, output_tokens)
     VALUES ($1, $2, $3, $4, 1, $5, $6, $7, $8, $8, $9, $10, $11, $12)
     ON CONFLICT (workspace, owner, agent, kind) DO UPDATE SET
       ended = known.ended + 1, failed = known.failed + excluded.failed,
       cancelled = known.cancelled + excluded.cancelled, timed = known.timed + excluded.timed,
       total_ms = known.total_ms + excluded.total_ms,
       longest_ms = CASE WHEN excluded.longest_ms > known.longest_ms THEN excluded.longest_ms ELSE known.longest_ms END,
       first_tokens = known.first_tokens + excluded.first_tokens,
       first_token_ms = known.first_token_ms + excluded.first_token_ms,
       input_tokens = known.input_tokens + excluded.input_tokens,
       output_tokens = known.output_tokens + excluded.output_tokens`,
    [
      ...[workspace, owner, agent, kind, count(outcome === "failed"), count(outcome === "cancelled")],
      ...[count(durationMs !== undefined), whole(durationMs)],
      ...[count(firstTokenMs !== undefined), whole(firstTokenMs), whole(inputTokens), whole(outputTokens)],
    ],
  );
  if (!cost) return;
  await transaction.query(
    `INSERT INTO agent_costs AS known (workspace, owner, agent, currency, amount) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (workspace, owner, agent, currency) DO UPDATE SET amount = known.amount + excluded.amount`,
    [workspace, owner, agent, cost.currency, cost.amount],
  );
}

/** All agents of which something has ended, by name. */
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

const FIGURES = ["ended", "failed", "cancelled", "timed", "total_ms", "longest_ms"] as const;
const MORE_FIGURES = ["first_tokens", "first_token_ms", "input_tokens", "output_tokens"] as const;

type StatisticsRow = { agent: string; kind: EndedOnce["kind"] } & Record<
  (typeof FIGURES)[number] | (typeof MORE_FIGURES)[number],
  number | string
>;

function work(row: StatisticsRow | undefined): EndedWork {
  if (!row) return { ended: 0, failed: 0, cancelled: 0 };
  const [ended = 0, failed = 0, cancelled = 0, timed = 0, total = 0, longest = 0] = FIGURES.map((name) =>
    Number(row[name]),
  );
  const firsts = Number(row.first_tokens);
  return {
    ...{ ended, failed, cancelled },
    ...(timed > 0 && { meanMs: Math.round(total / timed), longestMs: longest }),
    ...(firsts > 0 && { meanFirstTokenMs: Math.round(Number(row.first_token_ms) / firsts) }),
  };
}

function whole(amount = 0): number {
  return Number.isFinite(amount) ? Math.max(0, Math.round(amount)) : 0;
}
