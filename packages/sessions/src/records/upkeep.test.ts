import { describe, expect, it } from "vitest";
import { Sessions } from "../sessions.ts";
import { ann } from "./testing/facade-moves.ts";
import { openRecord, STORAGES } from "./testing/storages.ts";
import { restorableUntil } from "./upkeep.ts";

const bob = { owner: "bob", workspace: "w" };
const DAY = 86_400_000;
const create = (sessions: Sessions, id: string, who = ann) =>
  sessions.execute(who, id, { type: "create", ...who, title: id });
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
const run = (runId: string) => ({ runId, agent: "a", agentUrl: "http://a", contextId: runId });

describe.each(STORAGES)("upkeep on %s", (storage) => {
  it("keeps a deleted session restorable for 30 days, and then leaves nothing but its tombstone (S4.1–2, S4.13)", async () => {
    const { sessions, journal } = await openRecord(storage);
    await create(sessions, "s");
    await sessions.execute(ann, "s", {
      type: "postMessage",
      messageId: "m",
      content: "forget me",
      run: run("r"),
    });
    const lease = await journal.acquire("run/r");
    await sessions
      .session("s")
      .append(lease, "r", [{ type: "agent_status", runId: "r", state: "working" }], [{}]);
    await sessions.execute(ann, "s", { type: "fork", at: { messages: 1 }, fork: { childId: "t" } });
    const { cursor } = await sessions.list(ann, { limit: 1 });
    const now = Date.now();
    await sessions.execute(ann, "s", { type: "delete", until: restorableUntil(now) }, { key: "k" });
    expect(await sessions.search(ann, "forget", 10)).toMatchObject([{ sessionId: "t" }]);
    expect(await sessions.upkeep(now + 30 * DAY)).toMatchObject({ purged: 0, trimmed: 0 });
    await expect(sessions.execute(ann, "s", { type: "archive" })).rejects.toMatchObject({ code: "gone" });
    const restore = { type: "restore", now: new Date(now + 29 * DAY).toISOString() } as const;
    await sessions.execute(ann, "s", restore);
    expect((await sessions.state(ann, "s")).status).toBe("active");
    await sessions.execute(ann, "s", { type: "delete", until: restorableUntil(now) });
    expect(await sessions.upkeep(now + 31 * DAY)).toMatchObject({ purged: 1, trimmed: 0 });
    await expect(sessions.state(ann, "s")).rejects.toMatchObject({ code: "not_found" });
    for (const stream of ["session/s", "run/r"])
      await expect(journal.head(stream)).rejects.toThrow("no stream");
    for (const table of ["session_messages", "agent_runs", "session_events", "session_request_keys"])
      expect(await journal.database.query(`SELECT * FROM ${table} WHERE session_id = 's'`), table).toEqual(
        [],
      );
    expect((await sessions.changes(ann, cursor, 10)).deleted).toEqual(["s"]);
    expect((await sessions.changes(bob, cursor, 10)).deleted).toEqual([]);
    expect((await sessions.state(ann, "t")).messages).toMatchObject([{ content: "forget me" }]);
    expect((await sessions.upkeep(now + 200 * DAY)).trimmed).toBeGreaterThan(0);
    await expect(sessions.changes(ann, cursor, 10)).rejects.toMatchObject({ reason: "trimmed" });
    const list = await sessions.list(ann, { limit: 10 });
    expect(ids(list.sessions)).toEqual(["t"]);
    expect((await sessions.changes(ann, list.cursor, 10)).changed).toEqual([]);
  });

  it("keeps what lists, search and replay need of an untouched session, which can be continued (S4.33, +12)", async () => {
    const { sessions, journal } = await openRecord(storage);
    await create(sessions, "s");
    const said = { type: "postMessage", messageId: "m", content: "a rare word", run: run("r") } as const;
    await sessions.execute(ann, "s", said);
    const lease = await journal.acquire("run/r");
    const ended = {
      type: "agent_complete",
      runId: "r",
      state: "completed",
      messageId: "n",
      content: "found",
    };
    const session = sessions.session("s");
    await session.append(lease, "r", [ended as never], [{ raw: "frame" }]);
    const before = await sessions.events(ann, "s", 0, 100);
    const later = Date.now() + 31 * DAY;
    expect(await sessions.upkeep(later)).toMatchObject({ packed: 1 });
    expect(await journal.database.query("SELECT * FROM session_events")).toEqual([]);
    const anew = new Sessions(journal, { openSessions: 1 });
    expect(ids((await anew.list(ann, { limit: 10 })).sessions)).toEqual(["s"]);
    expect(await anew.search(ann, "rare", 10)).toMatchObject([{ sessionId: "s" }]);
    expect(await anew.events(ann, "s", 0, 100)).toEqual(before);
    expect((await journal.read("run/r", 0)).map(({ payload }) => payload)).toEqual([{ raw: "frame" }]);
    const next = { ...said, messageId: "m2", content: "and on", run: run("r2") };
    const { state } = await anew.execute(ann, "s", next);
    expect(state.messages.map(({ content }) => content)).toEqual(["a rare word", "found", "and on"]);
    // It has a run now: it stays.
    expect(await anew.upkeep(later + 31 * DAY)).toMatchObject({ packed: 0 });
  });

  it("deletes sessions that were untouched for as long as the operator configured, restorably (+12)", async () => {
    const { journal } = await openRecord(storage);
    const sessions = new Sessions(journal, { retention: { packAfterDays: 30, deleteAfterDays: 100 } });
    await create(sessions, "s");
    const now = Date.now();
    expect(await sessions.upkeep(now + 99 * DAY)).toMatchObject({ deleted: 0, packed: 1 });
    expect(await sessions.upkeep(now + 101 * DAY)).toMatchObject({ deleted: 1 });
    expect((await sessions.list(ann, { limit: 10 })).sessions).toEqual([]);
    await sessions.execute(ann, "s", { type: "restore", now: new Date(now + 102 * DAY).toISOString() });
    expect(ids((await sessions.list(ann, { limit: 10 })).sessions)).toEqual(["s"]);
  });

  it("moves a session that was archived long ago to cold storage once, and it is read and continued as before (S4.33)", async () => {
    const { sessions, journal } = await openRecord(storage);
    await create(sessions, "s");
    await sessions.execute(ann, "s", { type: "archive" });
    const before = await sessions.state(ann, "s");
    const later = Date.now() + 31 * DAY;
    expect(await sessions.upkeep()).toMatchObject({ packed: 0 });
    expect(await sessions.upkeep(later)).toMatchObject({ packed: 1 });
    expect(await sessions.upkeep(later)).toMatchObject({ packed: 0 });
    const elsewhere = new Sessions(journal, { openSessions: 1 });
    expect(await elsewhere.state(ann, "s")).toEqual(before);
    const { state } = await elsewhere.execute(ann, "s", {
      type: "postMessage",
      messageId: "m",
      content: "x",
      run: run("r"),
    });
    expect(state).toMatchObject({ status: "active", messages: [{ content: "x" }] });
    // A page may end where the cold storage does.
    for (const [after, indices] of [
      [0, [1, 2]],
      [2, [3, 4, 5]],
    ] as const)
      expect((await elsewhere.events(ann, "s", after, 10)).map(({ index }) => index)).toEqual(indices);
  });
});
