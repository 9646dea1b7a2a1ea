import { describe, expect, it } from "vitest";
import { CommandRefusedError } from "../domain/session-command.ts";
import type { SessionEvent } from "../domain/session-event.ts";
import { Sessions } from "../sessions.ts";
import { CursorResetError } from "./cursor-reset-error.ts";
import { ann } from "./testing/facade-moves.ts";
import { openNodes, openRecord, STORAGES } from "./testing/storages.ts";
import { restorableUntil } from "./upkeep.ts";

const bob = { owner: "bob", workspace: "w" };
const DAY = 86_400_000;
const create = (sessions: Sessions, id: string, who = ann) =>
  sessions.execute(who, id, { type: "create", ...who, title: id });
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
const run = (runId: string) => ({ runId, agent: "a", agentUrl: "http://a", contextId: runId });

describe.each(STORAGES)("lists on %s", (storage) => {
  it("page through all sessions, the latest changed first, each unchanged one once while others change (S4.13, invariant 17)", async () => {
    const { sessions } = await openRecord(storage);
    const all = Array.from({ length: 25 }, (_, n) => `s${n}`);
    for (const id of all) await create(sessions, id);
    await create(sessions, "bobs", bob);
    await sessions.execute(ann, "s3", { type: "rename", title: "touched" });
    const seen: string[] = [];
    const first = await sessions.list(ann, { limit: 10 });
    expect(ids(first.sessions).slice(0, 2)).toEqual(["s3", "s24"]);
    seen.push(...ids(first.sessions));
    await sessions.execute(ann, "s2", { type: "rename", title: "moved to the front" });
    await sessions.execute(ann, "s20", { type: "rename", title: "moved, too" });
    await create(sessions, "new");
    for (let { next } = first; next !== ""; ) {
      const page = await sessions.list(ann, { limit: 10, cursor: next });
      seen.push(...ids(page.sessions));
      next = page.next;
    }
    expect(seen.sort()).toEqual(all.filter((id) => id !== "s2").sort());
    const { changed, created, deleted, cursor } = await sessions.changes(ann, first.cursor, 100);
    expect(ids(changed)).toEqual(["s2", "s20", "new"]);
    expect([created, deleted]).toEqual([["new"], []]);
    expect(await sessions.changes(ann, cursor, 100)).toEqual({
      changed: [],
      created: [],
      deleted: [],
      cursor,
    });
  });

  it("tell what came, changed and went since a cursor, each session once, in pages (S4.13)", async () => {
    const { sessions } = await openRecord(storage);
    for (const id of ["a", "b", "c", "d"]) await create(sessions, id);
    const { cursor } = await sessions.list(ann, { limit: 1 });
    await sessions.execute(ann, "a", { type: "rename", title: "1" });
    await sessions.execute(ann, "b", { type: "delete", until: restorableUntil(Date.now()) });
    await sessions.execute(ann, "a", { type: "rename", title: "2" });
    await create(sessions, "bobs", bob);
    const one = await sessions.changes(ann, cursor, 1);
    expect(one).toMatchObject({ changed: [], created: [], deleted: ["b"] });
    const two = await sessions.changes(ann, one.cursor, 10);
    expect(two).toMatchObject({ changed: [{ id: "a", title: "2" }], deleted: [] });
    expect(ids((await sessions.list(ann, { limit: 10 })).sessions)).toEqual(["a", "d", "c"]);
    expect(ids((await sessions.list(ann, { limit: 10, status: "deleted" })).sessions)).toEqual(["b"]);
    await sessions.execute(ann, "b", { type: "restore", now: new Date().toISOString() });
    expect((await sessions.changes(ann, two.cursor, 10)).changed).toMatchObject([
      { id: "b", status: "active" },
    ]);
  });

  it("ask a client to begin anew whose cursor is from the future or too old (S4.13)", async () => {
    const { sessions, journal } = await openRecord(storage);
    const empty = sessions.changes(ann, 5, 10);
    await expect(empty).rejects.toBeInstanceOf(CursorResetError);
    expect(await sessions.changes(ann, 0, 10)).toEqual({ changed: [], created: [], deleted: [], cursor: 0 });
    for (const id of ["a", "b", "c"]) await create(sessions, id);
    await expect(sessions.changes(ann, 4, 10)).rejects.toMatchObject({
      reason: "future",
      code: "cursor_reset",
    });
    await journal.trim("workspace/w", 2);
    await expect(sessions.changes(ann, 1, 10)).rejects.toMatchObject({
      reason: "trimmed",
      message: expect.stringContaining("list the sessions anew"),
    });
    expect(ids((await sessions.changes(ann, 2, 10)).changed)).toEqual(["c"]);
    await expect(sessions.events(ann, "a", 9, 10)).rejects.toMatchObject({ reason: "future" });
    const follower = sessions.follow(ann, "a", 9, new AbortController().signal);
    await expect(follower.next()).rejects.toMatchObject({ reason: "future" });
    for (const cursor of ["x", "-1", "1; DROP TABLE sessions", "9".repeat(16)])
      await expect(sessions.list(ann, { limit: 1, cursor })).rejects.toMatchObject({ code: "invalid" });
    await expect(sessions.list(ann, { limit: 1, status: "gone" })).rejects.toMatchObject({ code: "invalid" });
  });

  it("show somebody else's session to nobody: it answers like a missing one (S4.1–2, invariant 20)", async () => {
    const { sessions } = await openRecord(storage);
    await create(sessions, "s");
    await sessions.execute(ann, "s", {
      type: "postMessage",
      messageId: "m",
      content: "secret",
      run: run("r"),
    });
    const { signal } = new AbortController();
    for (const who of [bob, { owner: "ann", workspace: "elsewhere" }]) {
      const answers = (id: string) => [
        () => sessions.state(who, id),
        () => sessions.stateAt(who, id, 1),
        () => sessions.events(who, id, 0, 10),
        () => sessions.follow(who, id, 0, signal).next(),
        () => sessions.execute(who, id, { type: "rename", title: "x" }),
        () => sessions.execute(who, id, { type: "delete", until: "" }, { key: "k" }),
      ];
      for (const [position, ask] of answers("s").entries()) {
        const refused = await ask().catch((error: unknown) => error);
        const missing = await answers("t")
          [position]?.()
          .catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(CommandRefusedError);
        expect({ ...(refused as object) }).toEqual({ ...(missing as object) });
        expect(String(refused)).toBe(String(missing).replace("session t", "session s"));
      }
      expect(await sessions.search(who, "secret", 10)).toEqual([]);
      expect(await sessions.runs(who, { limit: 10 })).toEqual([]);
      expect(await sessions.runs(who, { sessionId: "s", limit: 10 })).toEqual([]);
      expect((await sessions.changes(who, 0, 10)).changed).toEqual([]);
      expect((await sessions.list(who, { limit: 10 })).sessions).toEqual([]);
    }
    await expect(sessions.state(ann, "a\0b")).rejects.toMatchObject({ code: "not_found" });
  });

  it("keep an inbox of approvals over all sessions, which an answer or the end of the run clears (+7)", async () => {
    const { sessions, journal } = await openRecord(storage);
    for (const id of ["a", "b"]) {
      await create(sessions, id);
      await sessions.execute(ann, id, {
        type: "postMessage",
        messageId: "m",
        content: "x",
        run: run(`r${id}`),
      });
      const lease = await journal.acquire(`run/r${id}`);
      const asked: SessionEvent = {
        ...{ type: "approval_requested", runId: `r${id}`, approvalId: "p", question: `${id}?`, tool: "send" },
      };
      await sessions.session(id).append(lease, `r${id}`, [asked], [{}]);
    }
    const open = await sessions.approvals(ann, { open: true, limit: 10 });
    expect(open).toMatchObject([
      { sessionId: "b", id: "p", status: "open", question: "b?", tool: "send" },
      { sessionId: "a" },
    ]);
    expect((await sessions.runs(ann, { limit: 10 })).map(({ status }) => status)).toEqual([
      "waiting",
      "waiting",
    ]);
    expect((await sessions.row(ann, "a")).openApprovals).toEqual(["p"]);
    const underWay = (id: string) => ({ sessionId: id, runId: `r${id}`, status: "waiting" });
    expect(await sessions.open()).toEqual(expect.arrayContaining(["a", "b"].map(underWay)));
    await sessions.execute(ann, "a", {
      type: "answerApproval",
      approvalId: "p",
      decision: "approved",
      text: "ok",
    });
    await sessions.execute(ann, "b", { type: "cancelRun", runId: "rb" });
    expect(await sessions.approvals(ann, { open: true, limit: 10 })).toEqual([]);
    expect(await sessions.approvals(ann, { limit: 10 })).toMatchObject([
      { sessionId: "b", status: "closed" },
      { sessionId: "a", status: "approved", decision: "approved", answeredAt: expect.any(Number) },
    ]);
    expect(await sessions.approvals(bob, { limit: 10 })).toEqual([]);
    expect(await sessions.open()).toEqual([{ sessionId: "a", runId: "ra", status: "running" }]);
    expect((await sessions.runs(ann, { limit: 10 })).map(({ status }) => status)).toEqual([
      "cancelled",
      "running",
    ]);
  });

  it("let a deleted session come back for 30 days, and after them leave nothing of it but that it went (S4.1–2, S4.13)", async () => {
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
    expect(await sessions.upkeep(now + 30 * DAY)).toEqual({ purged: 0, trimmed: 0, packed: 0 });
    await expect(sessions.execute(ann, "s", { type: "archive" })).rejects.toMatchObject({ code: "gone" });
    const restore = { type: "restore", now: new Date(now + 29 * DAY).toISOString() } as const;
    await sessions.execute(ann, "s", restore);
    expect((await sessions.state(ann, "s")).status).toBe("active");
    await sessions.execute(ann, "s", { type: "delete", until: restorableUntil(now) });
    expect(await sessions.upkeep(now + 31 * DAY)).toEqual({ purged: 1, trimmed: 0, packed: 0 });
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

  it("move a session to cold storage that was archived long ago, once, and read and go on with it as before (S4.33)", async () => {
    const { sessions, journal } = await openRecord(storage);
    await create(sessions, "s");
    await create(sessions, "t");
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
    expect(await elsewhere.state(ann, "t")).toMatchObject({ title: "t" });
    // A page may end where the cold storage does.
    for (const [after, indices] of [
      [0, [1, 2]],
      [2, [3, 4, 5]],
    ] as const)
      expect((await elsewhere.events(ann, "s", after, 10)).map(({ index }) => index)).toEqual(indices);
  });

  it("follow a session from any index, history and then live, and tell what it was then (+3, S4.10)", async () => {
    const { sessions } = await openRecord(storage);
    await create(sessions, "s");
    const stop = new AbortController();
    const seen: number[] = [];
    const following = (async () => {
      for await (const batch of sessions.follow(ann, "s", 1, stop.signal)) {
        seen.push(...batch.map(({ index }) => index));
        if (seen.includes(4)) stop.abort();
      }
    })();
    for (const title of ["x", "y", "z"]) await sessions.execute(ann, "s", { type: "rename", title });
    await following;
    expect(seen).toEqual([2, 3, 4]);
    expect((await sessions.stateAt(ann, "s", 3)).title).toBe("y");
    await expect(sessions.stateAt(ann, "s", 5)).rejects.toMatchObject({ code: "invalid" });
    const { child } = await sessions.execute(ann, "s", {
      ...{ type: "fork", at: { eventIndex: 2 }, fork: { childId: "t" } },
    });
    expect(child?.parent).toMatchObject({ sessionId: "s", eventIndex: 2, reason: "branch" });
  });
});

it.each(STORAGES)(
  "on %s an owner hears of changes as they come, of nobody else's, also in a workspace that is still empty (S4.13)",
  async (storage) => {
    const { sessions } = await openRecord(storage);
    const stop = new AbortController();
    const heard: unknown[] = [];
    const hearing = (async () => {
      for await (const batch of sessions.followChanges(ann, 0, stop.signal)) {
        heard.push(...batch);
        if (heard.length === 3) stop.abort();
      }
    })();
    await create(sessions, "bobs", bob);
    await create(sessions, "s");
    await sessions.execute(ann, "s", { type: "fork", at: { messages: 0 }, fork: { childId: "t" } });
    await hearing;
    expect(heard).toEqual([
      { index: 2, sessionId: "s", change: "created", after: 0 },
      { index: 3, sessionId: "s", change: "updated", after: 1 },
      { index: 4, sessionId: "t", change: "created", after: 0 },
    ]);
    expect(await sessions.changesHead(ann)).toBe(4);
    const elsewhere = { owner: "ann", workspace: "empty" };
    const later = sessions.followChanges(elsewhere, 3, new AbortController().signal)[Symbol.asyncIterator]();
    await expect(later.next()).rejects.toMatchObject({ reason: "future" });
    const waiting = new AbortController();
    const next = sessions.followChanges(elsewhere, 0, waiting.signal)[Symbol.asyncIterator]().next();
    waiting.abort();
    expect(await next).toMatchObject({ done: true });
  },
);

it("another node sees what one wrote, in state, list and changes (S4.1–2)", async () => {
  const [first, second] = await openNodes("Postgres", 2);
  if (!first || !second) throw new Error("Two nodes are needed");
  await create(first.sessions, "s");
  expect((await second.sessions.state(ann, "s")).index).toBe(1);
  const { cursor } = await second.sessions.list(ann, { limit: 1 });
  await first.sessions.execute(ann, "s", { type: "rename", title: "told" });
  expect((await second.sessions.changes(ann, cursor, 10)).changed).toMatchObject([{ title: "told" }]);
  expect((await second.sessions.state(ann, "s")).title).toBe("told");
});
