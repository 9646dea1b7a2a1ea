import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionState } from "../../domain/session-state.ts";
import { histories } from "../../testing/random-moves.ts";
import { ann, playHistory } from "../testing/facade-moves.ts";
import { contentOf, rebuiltContent } from "../testing/rebuilt-tables.ts";
import { openRecord, STORAGES } from "../testing/storages.ts";

const HISTORIES = Number(process.env.PARLEY_HISTORIES ?? 12);

/** The seed's drawing. */
const DRAWN: Readonly<Record<string, string>> = {
  sessions: "session_id created_at updated_at metadata_json",
  session_messages: "id session_id revision_id message_index role content metadata_json created_at",
  agent_runs:
    "run_id session_id agent_url context_id input_snapshot_hash status started_at completed_at metadata_json",
  session_events: "id session_id run_id event_index event_type payload_json created_at",
  session_forks: "fork_id parent_session_id child_session_id fork_reason forked_at_message_index created_at",
};

describe.each(STORAGES)("the tables on %s", (storage) => {
  it("are the five of the seed, each with an owner and a workspace (S4.3–7)", async () => {
    const { sessions, journal } = await openRecord(storage);
    await sessions.execute(ann, "s", { type: "create", ...ann, title: "A" });
    const run = { runId: "r", agent: "a", agentUrl: "http://a", contextId: "c" };
    await sessions.execute(ann, "s", { type: "postMessage", messageId: "m", content: "x", run });
    await sessions.execute(ann, "s", { type: "fork", at: { messages: 1 }, fork: { childId: "t" } });
    for (const [table, columns] of Object.entries(DRAWN)) {
      const [row = {}] = await journal.database.query(`SELECT * FROM ${table}`);
      expect(Object.keys(row), table).toEqual(expect.arrayContaining(columns.split(" ")));
      expect(row, table).toMatchObject(ann);
    }
    const [fork] = await journal.database.query("SELECT * FROM session_forks");
    expect(fork).toMatchObject({
      ...{ parent_session_id: "s", child_session_id: "t", fork_reason: "branch", forked_at_message_index: 1 },
    });
  });

  it("are the same when they are rebuilt from the log after random histories (invariant 11, S4.10, S4.31)", async () => {
    const record = await openRecord(storage);
    const told = new Map<string, SessionState>();
    let number = 0;
    await fc.assert(
      fc.asyncProperty(histories(50), async (steps) => {
        const states = await playHistory(record, steps, `h${number++}`);
        for (const [id, state] of states) told.set(id, state);
      }),
      { numRuns: HISTORIES, endOnFailure: true },
    );
    const live = await contentOf(record.journal.database);
    expect(live.sessions?.length).toBe(told.size);
    expect(await rebuiltContent(record.journal, [...told.keys()], ["w"])).toEqual(live);
    for (const state of told.values()) await expectSame(record, state);
  });

  it("take texts that a column cannot hold, and the log keeps them as they were (S4.1–2)", async () => {
    const { sessions } = await openRecord(storage);
    const title = "nul \0 and half a pair \ud83d";
    await sessions.execute(ann, "s", { type: "create", ...ann, title });
    expect((await sessions.row(ann, "s")).title).toBe("nul \ufffd and half a pair \ufffd");
    expect((await sessions.state(ann, "s")).title).toBe(title);
  });

  it("write no row for a token, and the whole text with the end of its run (S4.6)", async () => {
    const { sessions, journal } = await openRecord(storage);
    await sessions.execute(ann, "s", { type: "create", ...ann });
    const run = { runId: "r", agent: "a", agentUrl: "http://a", contextId: "c" };
    await sessions.execute(ann, "s", { type: "postMessage", messageId: "m", content: "x", run });
    const lease = await journal.acquire("run/r");
    const token = (text: string) => ({ type: "agent_token" as const, runId: "r", artifactId: "x", text });
    const before = await sessions.row(ann, "s");
    for (const text of ["Hel", "lo"]) await sessions.session("s").append(lease, "r", [token(text)], [{}]);
    expect(await sessions.row(ann, "s")).toEqual(before);
    const call = { type: "agent_tool_call" as const, runId: "r", callId: "k", tool: "look" };
    const end = { type: "agent_complete" as const, runId: "r", state: "completed" as const };
    await sessions
      .session("s")
      .append(lease, "r", [call, { ...end, messageId: "n", content: "Hello" }], [{}]);
    const rows = await journal.database.query(
      "SELECT event_index, event_type FROM session_events ORDER BY 1",
    );
    expect(rows.map((row) => Object.values(row))).toEqual([
      ...[
        [1, "session_created"],
        [2, "user_message"],
        [3, "agent_start"],
      ],
      ...[
        [6, "agent_tool_call"],
        [7, "agent_complete"],
      ],
    ]);
    const [message] = await journal.database.query(
      "SELECT content, metadata_json FROM session_messages WHERE message_index = 1",
    );
    expect(message?.content).toBe("Hello");
    expect(JSON.parse(String(message?.metadata_json))).toMatchObject({
      ...{ agent_run_id: "r", agent: "a", tool_calls: [{ callId: "k", tool: "look" }] },
    });
  });
});

/** The row, the runs and the messages in the tables say what the state says. */
async function expectSame(
  { sessions, journal }: Awaited<ReturnType<typeof openRecord>>,
  told: SessionState,
): Promise<void> {
  const state = await sessions.stateAt(ann, told.id, told.index);
  expect(state).toEqual(told);
  const current = await sessions.state(ann, told.id);
  const plain = (text: string) => text.replaceAll("\0", "\ufffd").toWellFormed();
  const row = await sessions.row(ann, told.id);
  const { status, config, restorableUntil } = current;
  expect(row).toMatchObject({
    ...{ status, config, title: plain(current.title), messageCount: current.messages.length },
    ...(restorableUntil !== undefined && { restorableUntil }),
  });
  expect(row.agent).toBe(current.agent);
  const runs = await sessions.runs(ann, { sessionId: told.id, limit: 1_000 });
  expect(Object.fromEntries(runs.map(({ id, status: ended }) => [id, ended]))).toEqual(
    Object.fromEntries([...current.runs.values()].map(({ id, status: ended }) => [id, ended])),
  );
  const messages = await journal.database.query(
    "SELECT message_id AS id, role, content FROM session_messages WHERE session_id = $1 ORDER BY message_index",
    [told.id],
  );
  expect(messages.map((message) => ({ ...message }))).toEqual(
    current.messages.map(({ id, role, content }) => ({ id, role, content: plain(content) })),
  );
}
