import { openMemoryJournal } from "@parley/journal";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SessionEvent } from "../domain/session-event.ts";
import type { WorkspaceEvent } from "../open-session.ts";
import { sessionStream, workspaceStream } from "../session-streams.ts";
import { countedTables } from "./testing/counted-tables.ts";

const MANY = 1_000;
/** A commit's own statements, and one for each 500 rows of each table. */
const FEW = 40;

const BEGINNING: readonly SessionEvent[] = [
  { type: "session_created", workspace: "w", owner: "o", title: "large" },
  { type: "user_message", messageId: "m", content: "Hello" },
  started("r"),
];

function started(runId: string): SessionEvent {
  const run = { runId, agent: "a", agentUrl: "u", contextId: "c", inputSnapshotHash: "h" };
  return { type: "agent_start", ...run, messageId: "m" };
}

function ended(runId: string): SessionEvent {
  const usage = { inputTokens: 1, outputTokens: 2, cost: { amount: 1, currency: "EUR" } };
  const said = { messageId: `m-${runId}`, content: "Done" };
  return { type: "agent_complete", runId, state: "completed", ...said, usage };
}

function requested(approvalId: string, runId = "r"): SessionEvent {
  return { type: "approval_requested", runId, approvalId, question: "May I?" };
}

function answered(approvalId: string): SessionEvent {
  return { type: "approval_answered", runId: "r", approvalId, decision: "approved" };
}

function delegated(callId: string): SessionEvent {
  return { type: "agent_tool_call", runId: "r", callId, tool: "helper", agent: "helper" };
}

function delivered(callId: string): SessionEvent {
  const outcome = { outcome: "succeeded", durationMs: 10 } as const;
  return { type: "agent_tool_result", runId: "r", callId, agent: "helper", ...outcome };
}

/** Events for each of many ids. */
function each(
  ...made: ((id: string, at: number) => SessionEvent | readonly SessionEvent[])[]
): SessionEvent[] {
  return Array.from({ length: MANY }, (_, at) => made.flatMap((make) => make(`${at}`, at))).flat();
}

const firstToken = (runId: string): SessionEvent => ({
  type: "agent_token_start",
  runId,
  artifactId: "x",
  channel: "answer",
});

/** What a session begins with, what is added to it in one commit, and a query that shows that it was written. */
const CASES: readonly {
  readonly name: string;
  readonly before?: readonly SessionEvent[];
  readonly added: readonly SessionEvent[];
  readonly query: string;
  readonly rows: readonly unknown[];
}[] = [
  {
    name: "approvals that are requested and answered",
    added: each(
      (id) => requested(id),
      (id, at) => (at > 0 ? answered(id) : []),
    ),
    query: "SELECT status, count(*) AS count FROM session_approvals GROUP BY status ORDER BY status",
    rows: [
      { status: "approved", count: MANY - 1 },
      { status: "open", count: 1 },
    ],
  },
  {
    name: "answers to approvals of an earlier commit",
    before: each((id) => requested(id)),
    added: each(answered),
    query: "SELECT status, count(*) AS count FROM session_approvals GROUP BY status",
    rows: [{ status: "approved", count: MANY }],
  },
  {
    name: "runs that end with an open approval",
    added: each(started, (id) => requested(id, id), ended),
    query: "SELECT status, count(*) AS count FROM session_approvals GROUP BY status",
    rows: [{ status: "closed", count: MANY }],
  },
  {
    name: "delegations that are under way",
    added: each(delegated),
    query: "SELECT agent, count(*) AS count FROM agent_delegations GROUP BY agent",
    rows: [{ agent: "helper", count: MANY }],
  },
  {
    name: "delegations that begin and end",
    added: each(delegated, delivered),
    query: `SELECT ended, total_ms, longest_ms, (SELECT count(*) FROM agent_delegations) AS open
            FROM agent_statistics`,
    rows: [{ ended: MANY, total_ms: 10 * MANY, longest_ms: 10, open: 0 }],
  },
  {
    name: "results of delegations of an earlier commit",
    before: each(delegated),
    added: each(delivered),
    query: "SELECT kind, ended, (SELECT count(*) FROM agent_delegations) AS open FROM agent_statistics",
    rows: [{ kind: "delegation", ended: MANY, open: 0 }],
  },
  {
    name: "runs with a first token, an end, a message and what they cost",
    added: each(started, firstToken, ended),
    query: `SELECT status, count(*) AS runs, count(first_token_at) AS spoke,
              (SELECT count(*) FROM session_messages WHERE role = 'assistant') AS messages,
              (SELECT count(*) FROM message_histories) AS histories,
              (SELECT ended FROM agent_statistics) AS ended, (SELECT first_tokens FROM agent_statistics) AS first,
              (SELECT amount FROM agent_costs) AS cost
            FROM agent_runs WHERE run_id <> 'r' GROUP BY status`,
    rows: [
      {
        status: "completed",
        runs: MANY,
        spoke: MANY,
        messages: MANY,
        histories: MANY + 1,
        ended: MANY,
        first: MANY,
        cost: MANY,
      },
    ],
  },
  {
    name: "messages, their histories and their words",
    added: each((id) => ({ type: "user_message", messageId: id, content: `text ${id}` })),
    query: `SELECT count(*) AS messages, (SELECT count(*) FROM message_histories) AS histories,
              (SELECT count(*) FROM session_search_words WHERE session_search_words MATCH '"text"') AS found
            FROM session_messages`,
    rows: [{ messages: MANY + 1, histories: MANY + 1, found: MANY }],
  },
  {
    name: "artifacts",
    added: each((id) => ({ type: "agent_artifact", runId: "r", artifactId: id, parts: [{ text: "x" }] })),
    query: "SELECT count(*) AS artifacts FROM session_events WHERE event_type = 'agent_artifact'",
    rows: [{ artifacts: MANY }],
  },
];

describe("a commit of a thousand events costs few statements: other commits wait for it (invariant 6)", () => {
  it.each(CASES)("with $name", async ({ before = [], added, query, rows }) => {
    const { journal, statements } = open();
    await journal.append(sessionStream("s"), [...BEGINNING, ...before]);
    const earlier = statements();
    await journal.append(sessionStream("s"), added);
    expect(statements() - earlier).toBeLessThan(FEW);
    expect((await journal.database.query(query)).map((row) => ({ ...row }))).toEqual(rows);
  });

  it("with sessions that are forks of one session", async () => {
    const { journal, statements } = open();
    const parent = { sessionId: "s", messages: 0, eventIndex: 1, reason: "branch" } as const;
    const fork: SessionEvent = { type: "session_created", workspace: "w", owner: "o", title: "t", parent };
    const ids = Array.from({ length: MANY }, (_, at) => `f${at}`);
    const changes = ids.map((sessionId): WorkspaceEvent => ({ sessionId, change: "created", after: 0 }));
    await journal.appendAll([
      ...ids.map((id) => ({
        stream: sessionStream(id),
        events: [fork, { ...BEGINNING[1] }, started(`r-${id}`)],
      })),
      { stream: workspaceStream("w"), events: changes },
    ]);
    expect(statements()).toBeLessThan(FEW);
    const [count] = await journal.database.query(
      `SELECT count(*) AS forks, (SELECT count(*) FROM sessions WHERE change_index > 0) AS sessions,
         (SELECT count(*) FROM session_search) AS texts FROM session_forks`,
    );
    expect({ ...count }).toEqual({ forks: MANY, sessions: MANY, texts: 2 * MANY });
  });
});

function open() {
  const { projections, statements } = countedTables();
  const journal = openMemoryJournal({ projections });
  onTestFinished(() => journal.close());
  return { journal, statements };
}
