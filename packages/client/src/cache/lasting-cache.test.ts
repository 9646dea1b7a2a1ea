import { cpuTime } from "@parley/testing/cpu-time.ts";
import "fake-indexeddb/auto";
import { deleteDB, openDB } from "idb";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { abortedTransactions, failingPuts } from "../testing/failing-database.ts";
import { SmallStorage } from "../testing/small-storage.ts";
import type { Keeping } from "./cache-port.ts";
import { KEPT_COMMAND, keptEvents, keptRecord } from "./contract/cache-contract.ts";
import { CACHE_VERSION } from "./indexed-db-cache.ts";
import { LastingCache, type LastingCacheOptions } from "./lasting-cache.ts";
import { WriteAheadLog } from "./write-ahead-log.ts";

let databases = 0;
const newName = () => `lasting-${databases++}`;

async function opened(options: LastingCacheOptions): Promise<LastingCache> {
  const cache = await LastingCache.open(options);
  onTestFinished(() => cache.close());
  return cache;
}

/** Everything that the cache says of how long it lasts. */
function heard(cache: LastingCache): Keeping[] {
  const all: Keeping[] = [];
  cache.subscribe((keeping) => all.push(keeping));
  return all;
}

describe("a cache that lasts if it can", () => {
  it("has after a reload what was kept before it (S4.12)", async () => {
    const name = newName();
    const first = await opened({ name });
    await first.saveSession(keptRecord("s", 1));
    await first.addEvents("s", keptEvents("s", 2, 3));
    await first.save("bags", "s", { draft: "And" });
    first.close();
    const second = await opened({ name });
    expect(second.keeping).toEqual({ name: "lasting" });
    expect(await second.loadSession("s")).toEqual({
      record: keptRecord("s", 1),
      events: keptEvents("s", 2, 3),
    });
    expect(await second.load("bags", "s")).toEqual({ draft: "And" });
  });

  it("reads a session of 10,000 events in well under a second", async () => {
    const name = newName();
    const first = await opened({ name });
    await first.saveSession({ ...keptRecord("s", 5_000), title: "x".repeat(2_000_000) });
    for (let at = 5_001; at <= 10_000; at += 20) await first.addEvents("s", keptEvents("s", at, at + 19));
    first.close();
    const second = await opened({ name });
    const start = cpuTime();
    const kept = await second.loadSession("s");
    expect(cpuTime() - start).toBeLessThan(1_000);
    expect(kept?.events).toHaveLength(5_000);
  });

  it.each([
    [
      "refuses",
      () => {
        throw new DOMException("Not in private mode", "SecurityError");
      },
    ],
    ["never answers", () => new EventTarget()],
  ])("keeps in memory where the browser's database %s, and says so", async (_, open) => {
    vi.stubGlobal("indexedDB", { open });
    onTestFinished(() => void vi.unstubAllGlobals());
    const cache = await opened({ name: newName(), openMs: 20 });
    expect(cache.keeping).toEqual({ name: "memory", reason: "refused" });
    await cache.save("bags", "s", 1);
    expect(await cache.load("bags", "s")).toBe(1);
  });

  it("goes on in memory when the database breaks later, and says so once", async () => {
    const cache = await opened({ name: newName() });
    const said = heard(cache);
    failingPuts("UnknownError", () => true);
    await Promise.all([cache.save("bags", "s", 1), cache.save("bags", "t", 2)]);
    expect(await cache.load("bags", "s")).toBe(1);
    expect(await cache.load("bags", "t")).toBe(2);
    expect(said).toEqual([{ name: "memory", reason: "broken" }]);
  });

  it("throws old sessions away when the browser has no more room, and keeps what the user wrote", async () => {
    const cache = await opened({ name: newName() });
    for (const id of ["a", "b", "c", "d"]) await cache.saveSession(keptRecord(id, 1));
    let refusals = 1;
    failingPuts("QuotaExceededError", () => refusals-- > 0);
    await cache.save("commands", "k", KEPT_COMMAND);
    expect(await cache.loadAll("commands")).toEqual([KEPT_COMMAND]);
    const kept = await Promise.all(["a", "b", "c", "d"].map((id) => cache.loadSession(id)));
    expect(kept.map((session) => session?.record.id)).toEqual([undefined, undefined, "c", "d"]);
    expect(cache.keeping).toEqual({ name: "lasting" });
  });

  it("says so when even that makes no room, and still has what was kept before", async () => {
    const cache = await opened({ name: newName() });
    await cache.save("bags", "s", "before");
    failingPuts("QuotaExceededError", (store) => store === "bags");
    await expect(cache.save("bags", "s", "after")).rejects.toMatchObject({ name: "CacheFullError" });
    expect(await cache.load("bags", "s")).toBe("before");
    expect(cache.keeping).toEqual({ name: "lasting" });
  });

  it("takes over a database of an older version: what the user wrote stays, all else is forgotten", async () => {
    const name = newName();
    await deleteDB(name);
    const older = await openDB(name, CACHE_VERSION, {
      upgrade(database) {
        for (const store of ["commands", "bags", "sessions", "something_old"])
          database.createObjectStore(store);
      },
    });
    await older.put("commands", KEPT_COMMAND, "k");
    await older.put("sessions", { an: "older form" }, "s");
    older.close();
    const cache = await opened({ name, version: CACHE_VERSION + 1 });
    expect(cache.keeping).toEqual({ name: "lasting" });
    expect(await cache.loadAll("commands")).toEqual([KEPT_COMMAND]);
    expect(await cache.loadSession("s")).toBeUndefined();
  });

  it("leaves its database to a newer page, which need not wait, and does without", async () => {
    const name = newName();
    const older = await opened({ name });
    const said = heard(older);
    await older.save("bags", "s", "draft");
    const newer = await opened({ name, version: CACHE_VERSION + 1 });
    expect(newer.keeping).toEqual({ name: "lasting" });
    expect(await newer.load("bags", "s")).toBe("draft");
    expect(said).toEqual([{ name: "memory", reason: "outdated" }]);
    await older.save("bags", "s", "in memory");
    expect(await newer.load("bags", "s")).toBe("draft");
    const again = await opened({ name });
    expect(again.keeping).toEqual({ name: "memory", reason: "outdated" });
  });

  it("has after a reload what the page that is gone could not write any more, and not what it removed", async () => {
    const [name, storage] = [newName(), new SmallStorage()];
    const first = await opened({ name, storage });
    await first.change([
      { kind: "commands", id: "taken back", value: { ...KEPT_COMMAND, key: "taken back" } },
    ]);
    expect(storage.length).toBe(0);
    const restore = abortedTransactions();
    const writing = first.change([
      { kind: "commands", id: "taken back", value: undefined },
      { kind: "commands", id: "k", value: KEPT_COMMAND },
      { kind: "bags", id: "s", value: { draft: "And" } },
    ]);
    // As the page is left that goes away at this moment.
    const left = storage.copy();
    await writing;
    restore();
    first.close();
    const second = await opened({ name, storage: left });
    expect(await second.loadAll("commands")).toEqual([KEPT_COMMAND]);
    expect(await second.load("bags", "s")).toEqual({ draft: "And" });
    await expect.poll(() => left.length).toBe(0);
    second.close();
    const third = await opened({ name });
    expect(await third.loadAll("commands")).toEqual([KEPT_COMMAND]);
  });

  it("has what another page left, when all commands are loaded again", async () => {
    const [name, storage] = [newName(), new SmallStorage()];
    const cache = await opened({ name, storage });
    new WriteAheadLog(storage, name).add([{ kind: "commands", id: "k", value: KEPT_COMMAND }]);
    expect(await cache.loadAll("commands")).toEqual([KEPT_COMMAND]);
  });

  it("does not bring back what it could not keep and said so", async () => {
    const [name, storage] = [newName(), new SmallStorage()];
    const cache = await opened({ name, storage });
    failingPuts("QuotaExceededError", (store) => store === "bags");
    await expect(cache.change([{ kind: "bags", id: "s", value: 1 }])).rejects.toThrow();
    expect(storage.length).toBe(0);
  });

  it("leaves what is only in memory to the next page", async () => {
    const [name, storage] = [newName(), new SmallStorage()];
    const first = await opened({ name, storage });
    const restore = abortedTransactions();
    await first.change([{ kind: "commands", id: "k", value: KEPT_COMMAND }]);
    expect(first.keeping).toEqual({ name: "memory", reason: "broken" });
    restore();
    const second = await opened({ name, storage });
    expect(await second.loadAll("commands")).toEqual([KEPT_COMMAND]);
    await second.change([{ kind: "commands", id: "k", value: undefined }]);
    expect([await second.loadAll("commands"), storage.length]).toEqual([[], 0]);
  });
});
