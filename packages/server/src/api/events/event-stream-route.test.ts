import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteJournal } from "@parley/journal";
import { LiveThoughts, sessionTables } from "@parley/sessions";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ApiServer } from "../testing/api-server.ts";
import { EventReader } from "../testing/event-reader.ts";

const thoughts = new LiveThoughts();
let api: ApiServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-events-"));
  const journal = await openSqliteJournal({ folder, projections: sessionTables });
  api = await ApiServer.start({}, journal, { thoughts });
});
afterAll(async () => {
  await api.stop();
  await rm(folder, { recursive: true });
});

const follow = (query: string, options: ConstructorParameters<typeof EventReader>[1] = {}) => {
  const reader = new EventReader(`${api.url}/api/v1/events${query}`, options);
  onTestFinished(() => reader.close());
  return reader;
};
const idsOf = (ids: readonly string[]) => `?${ids.map((id) => `session_ids[]=${id}`).join("&")}`;
const isReady = (reader: EventReader) => reader.received.length > 0;
const token = (runId: string, text: string) =>
  ({ type: "agent_token", runId, artifactId: "a", text }) as const;
/** What a reader must have got of a session: each index from one on, once and in order. */
const indicesOf = (events: { sessionId: string; index: number }[], id: string) =>
  events.filter(({ sessionId }) => sessionId === id).map(({ index }) => index);
const upTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

describe("the event stream", () => {
  it("delivers the events of many sessions on one connection, after their commit (S4.19, invariant 2)", async () => {
    const [one, two] = [await api.begun("One"), await api.begun("Two")];
    const reader = follow(idsOf([one.id, two.id]));
    await reader.until(isReady);
    expect(reader.received[0]).toMatchObject({
      event: "ready",
      data: { sessions: { [one.id]: 3, [two.id]: 3 } },
    });
    await api.answers(one.id, one.runId, "Eins\n\nzwei ✓");
    await api.answers(two.id, two.runId, "Zwei");
    await reader.until((r) => r.events().length === 6);
    for (const { id } of [one, two]) {
      const { json } = await api.ask("GET", `/api/v1/sessions/${id}?events_since=3`);
      expect(reader.events().filter(({ sessionId }) => sessionId === id)).toEqual(json.events);
    }
  });

  it("resumes after Last-Event-ID, ?cursor= and the cursor of a read response (invariant 5)", async () => {
    const { id, runId } = await api.begun();
    const reading = (await api.ask("GET", `/api/v1/sessions/${id}`)).json;
    await api.answers(id, runId, "Hi!");
    const first = follow(`${idsOf([id])}&cursor=${encodeURIComponent(reading.cursor)}`);
    await first.until((r) => r.events().length === 3);
    const [started, ...rest] = first.received.filter(({ event }) => event === "message");
    const headers = { "Last-Event-ID": started?.id ?? "" };
    // The header is newer than the address that a browser asks again.
    const second = follow(`${idsOf([id])}&cursor=${encodeURIComponent(reading.cursor)}`, { headers });
    await second.until((r) => r.events().length === 2);
    expect(second.events()).toEqual(rest.map(({ data }) => data));
  });

  it.each([
    ["from the future", (own: string) => own.replace(/.$/, "zzz")],
    ["of another session", () => "1::AAAAAAAA,5"],
    ["of a workspace", () => "1:5"],
  ])("sends a reset if the cursor is %s (invariant 5)", async (_, make) => {
    const { id, runId } = await api.begun();
    const own = (await api.ask("GET", `/api/v1/sessions/${id}`)).json.cursor as string;
    const reader = follow(`${idsOf([id])}&cursor=${encodeURIComponent(make(own))}`);
    await reader.until((r) => r.received.length === 2);
    expect(reader.received[1]).toMatchObject({ event: "reset", data: { sessionId: id, index: 3 } });
    await api.answers(id, runId, "Hi!");
    await reader.until((r) => r.events().length === 3);
    expect(indicesOf(reader.events(), id)).toEqual([4, 5, 6]);
  });

  it("refuses invalid cursors, too many sessions and unknown sessions; one unknown session among several is reported in the stream", async () => {
    const { id } = await api.begun();
    const status = async (query: string) => (await api.ask("GET", `/api/v1/events${query}`)).status;
    expect(await status(`${idsOf([id])}&cursor=nonsense`)).toBe(422);
    expect(await status(idsOf(upTo(1, 101).map((number) => `s${number}`)))).toBe(422);
    expect(await status(idsOf(["none"]))).toBe(404);
    const reader = follow(idsOf([id, "none"]));
    await reader.until((r) => r.received.length === 2);
    expect(reader.received[1]).toMatchObject({ event: "gone", data: { sessionId: "none" } });
  });

  it("neither loses nor repeats events when the connection is cut at any byte, repeatedly", async () => {
    const begun = await Promise.all([1, 2, 3].map(() => api.begun()));
    const ids = begun.map(({ id }) => id);
    const first = follow(idsOf(ids));
    await first.until(isReady);
    let cursor = first.lastId;
    first.close();
    const writing = Promise.all(
      begun.map(async ({ id, runId }) => {
        for (let piece = 0; piece < 60; piece++)
          await api.brings(id, runId, [token(runId, `✓${piece}`), token(runId, "\n")]);
      }),
    );
    const seen: { sessionId: string; index: number }[] = [];
    let cuts = 0;
    for (let seed = 7; seen.length < 3 * 120; seed = (seed * 48_271) % 2_147_483_647, cuts++) {
      const headers = { "Last-Event-ID": cursor };
      const reader = follow(idsOf(ids), { headers, cutAfter: 300 + (seed % 4_000) });
      await Promise.race([reader.closed, reader.until((r) => seen.length + r.events().length >= 3 * 120)]);
      reader.close();
      seen.push(...reader.events());
      if (reader.lastId) cursor = reader.lastId;
    }
    await writing;
    for (const id of ids) expect(indicesOf(seen, id)).toEqual(upTo(4, 123));
    expect(cuts).toBeGreaterThan(10);
  });

  it("delivers all sessions, including new ones, if none is named, and resumes without loss", async () => {
    const owner = { "X-Test-Owner": "watcher" };
    const begin = async () => {
      const { json } = await api.ask("POST", "/api/v1/sessions", { title: "W" }, owner);
      const { id } = json.session;
      const posted = await api.ask("POST", `/api/v1/sessions/${id}/messages`, { content: "Go" }, owner);
      return { id: id as string, runId: posted.json.run.id as string };
    };
    const before = await begin();
    const quiet = await begin();
    await api.answers(quiet.id, quiet.runId, "Quiet");
    const first = follow("", { headers: owner });
    await first.until(isReady);
    expect(first.received[0]?.data.sessions).toEqual({ [before.id]: 3 });
    await api.brings(before.id, before.runId, [token(before.runId, "more")]);
    const fresh = await begin();
    await api.brings(fresh.id, fresh.runId, [token(fresh.runId, "new")]);
    await first.until((r) => r.events().length === 5);
    expect(indicesOf(first.events(), before.id)).toEqual([4]);
    expect(indicesOf(first.events(), fresh.id)).toEqual([1, 2, 3, 4]);
    first.close();
    // While nobody is connected: one run ends, another continues, an idle session becomes active.
    await api.answers(before.id, before.runId, "done");
    await api.brings(fresh.id, fresh.runId, [token(fresh.runId, "er")]);
    await api.ask("PATCH", `/api/v1/sessions/${quiet.id}`, { config: { a: 1 } }, owner);
    await api.ask("PATCH", `/api/v1/sessions/${quiet.id}`, { title: "Loud" }, owner);
    const headers = { ...owner, "Last-Event-ID": first.lastId };
    const second = follow("", { headers });
    await second.until((r) => r.events().length === 6);
    expect(indicesOf(second.events(), before.id)).toEqual([5, 6, 7]);
    expect(indicesOf(second.events(), fresh.id)).toEqual([5]);
    expect(indicesOf(second.events(), quiet.id)).toEqual([7, 8]);
    await api.answers(fresh.id, fresh.runId, "done");
    await second.until((r) => r.events().length === 9);
    expect(indicesOf(second.events(), fresh.id)).toEqual([5, 6, 7, 8]);
    expect(second.received.filter(({ event }) => event === "session_changed")).not.toEqual([]);
    const changed = second.received
      .filter(({ event }) => event !== "message")
      .map(({ data }) => data.sessionId);
    expect(
      changed.filter((id) => id !== undefined).every((id) => [before, quiet, fresh].some((s) => s.id === id)),
    ).toBe(true);
    // From the future, of named sessions, of another record, ahead in one session, of a session that is another's.
    const others = await api.begun();
    const record = await api.sessions.identity();
    for (const [cursor, sessionId] of [
      [`1:zzzzz.${record}`, "*"],
      ["1::AAAAAAAA,5", "*"],
      ["1:1.another-record", "*"],
      ["1:1", "*"],
      [`1:1.${record}:${fresh.id},zzz`, fresh.id],
    ] as const) {
      const reset = follow(`?cursor=${encodeURIComponent(cursor)}`, { headers: owner });
      await reset.until((r) => r.received.length >= 2);
      expect(reset.received[1]).toMatchObject({ event: "reset", data: { sessionId } });
    }
    const foreign = follow(`?cursor=${encodeURIComponent(`1:1.${record}:${others.id},1`)}`, {
      headers: owner,
    });
    await foreign.until(isReady);
    expect(foreign.received[0]?.data.sessions).toEqual({});
  });

  it("neither loses nor repeats events of a whole workspace when cut at any byte", async () => {
    const owner = { "X-Test-Owner": "cutter" };
    const first = follow("", { headers: owner });
    await first.until(isReady);
    let cursor = first.lastId;
    first.close();
    const heads = new Map<string, number>();
    const writing = Promise.all(
      upTo(1, 6).map(async () => {
        const { id } = (await api.ask("POST", "/api/v1/sessions", {}, owner)).json.session;
        for (let turn = 0; turn < 4; turn++) {
          const posted = await api.ask("POST", `/api/v1/sessions/${id}/messages`, { content: "Go" }, owner);
          const runId = posted.json.run.id;
          await api.brings(id, runId, [token(runId, "a"), token(runId, "b")]);
          await api.answers(id, runId, "c");
        }
        heads.set(id, (await api.sessions.state({ owner: "cutter", workspace: "default" }, id)).index);
      }),
    );
    const seen: { sessionId: string; index: number }[] = [];
    const all = 6 * (1 + 4 * 7);
    for (let seed = 11; seen.length < all; seed = (seed * 48_271) % 2_147_483_647) {
      const reader = follow("", {
        headers: { ...owner, "Last-Event-ID": cursor },
        cutAfter: 400 + (seed % 6_000),
      });
      await Promise.race([reader.closed, reader.until((r) => seen.length + r.events().length >= all)]);
      reader.close();
      seen.push(...reader.events());
      if (reader.lastId) cursor = reader.lastId;
    }
    await writing;
    expect(seen).toHaveLength(all);
    for (const [id, head] of heads) expect(indicesOf(seen, id)).toEqual(upTo(1, head));
  });

  it("delivers one order to 200 readers (invariant 15)", async () => {
    const { id, runId } = await api.begun();
    const readers = upTo(1, 200).map(() => follow(idsOf([id])));
    await Promise.all(readers.map((reader) => reader.until(isReady)));
    for (let piece = 0; piece < 20; piece++) await api.brings(id, runId, [token(runId, String(piece))]);
    await Promise.all(readers.map((reader) => reader.until((r) => r.events().length === 20)));
    const [one, ...others] = readers.map((reader) => JSON.stringify(reader.received));
    expect(others.every((other) => other === one)).toBe(true);
    for (const reader of readers) reader.close();
  });

  it("sends an agent's thinking to current readers only, without moving cursors or storing it (S2.23)", async () => {
    const { id, runId } = await api.begun();
    const reader = follow(idsOf([id]));
    await reader.until(isReady);
    const thought = { runId, artifactId: "t", append: false };
    for (const text of ["Hm, well", "m"]) thoughts.tell(id, { ...thought, text });
    thoughts.tell("another", { ...thought, text: "Elsewhere" });
    await reader.until((r) => r.received.length === 3);
    expect(reader.received.slice(1)).toMatchObject(
      ["Hm, well", "m"].map((text) => ({
        ...{ event: "thinking", id: reader.received[0]?.id },
        data: { sessionId: id, runId, text },
      })),
    );
    const other = await api.begun();
    const all = follow("");
    await all.until(isReady);
    thoughts.tell(other.id, { ...thought, text: "Everywhere" });
    await all.until((r) => r.received.some(({ event }) => event === "thinking"));
    expect(JSON.stringify((await api.ask("GET", `/api/v1/sessions/${id}`)).json)).not.toContain("Hm, well");
    all.close();
    await expect.poll(() => thoughts.isWatched(other.id)).toBe(false);
  });

  it("answers HEAD without a stream", async () => {
    expect((await fetch(`${api.url}/api/v1/events`, { method: "HEAD" })).status).toBe(200);
  });
});

it("a workspace without events can be followed", async () => {
  const fresh = await ApiServer.start();
  onTestFinished(() => fresh.stop());
  const reader = new EventReader(`${fresh.url}/api/v1/events`);
  await reader.until(isReady);
  const { id } = await fresh.begun();
  await reader.until((r) => r.events().length === 3);
  expect(indicesOf(reader.events(), id)).toEqual([1, 2, 3]);
  reader.close();
});
