import { describe, expect, it } from "vitest";
import type { Sessions } from "../sessions.ts";
import { CursorResetError } from "./cursor-reset-error.ts";
import { ann } from "./testing/facade-moves.ts";
import { openNodes, openRecord, STORAGES } from "./testing/storages.ts";
import { restorableUntil } from "./upkeep.ts";

const bob = { owner: "bob", workspace: "w" };
const create = (sessions: Sessions, id: string, who = ann) =>
  sessions.execute(who, id, { type: "create", ...who, title: id });
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

describe.each(STORAGES)("lists on %s", (storage) => {
  it("return every unchanged session on exactly one page, the latest changed first, while others change (S4.13, invariant 17)", async () => {
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

  it("have a record id that all nodes share and no other record has (S4.13)", async () => {
    const nodes = await openNodes(storage, storage === "Postgres" ? 2 : 1);
    const names = await Promise.all([...nodes, ...nodes].map(({ sessions }) => sessions.identity()));
    expect(new Set(names).size).toBe(1);
    const other = await openRecord(storage);
    expect(await other.sessions.identity()).not.toBe(names[0]);
  });

  it("show the opening words of sessions without a title of their own (S4.13)", async () => {
    const { sessions } = await openRecord(storage);
    const run = (runId: string) => ({ runId, agent: "a", agentUrl: "http://a", contextId: "c" });
    for (const [id, title] of [
      ["titled", "Plans"],
      ["untitled", ""],
      ["silent", ""],
    ] as const) {
      await sessions.execute(ann, id, { type: "create", ...ann, title });
      if (id === "silent") continue;
      const content = `Make\n plans ${"🦊".repeat(100)}`;
      await sessions.execute(ann, id, { type: "postMessage", messageId: `m-${id}`, content, run: run(id) });
    }
    await sessions.execute(ann, "titled", {
      ...{ type: "edit", messageId: "m-titled", content: "Make better plans" },
      ...{ fork: { childId: "edited" }, run: run("edited") },
    });
    await sessions.execute(ann, "titled", { type: "fork", at: "end", fork: { childId: "forked" } });
    const { sessions: rows } = await sessions.list(ann, { limit: 10 });
    expect(Object.fromEntries(await sessions.openings(rows))).toEqual({
      untitled: `Make plans ${"🦊".repeat(69)}`,
      edited: "Make better plans",
    });
  });

  it("return created, changed and deleted sessions since a cursor, each once, in pages (S4.13)", async () => {
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

  it("reject a cursor that is from the future or too old (S4.13)", async () => {
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
