import type { DomainEvent } from "../../api/domain-event.ts";
import type { QueuedCommand } from "../../sync/command.ts";
import { emptyRecord, type SessionRecord } from "../../sync/session-record.ts";
import type { CacheLimits, CachePort } from "../cache-port.ts";

/** Opens the cache under test, empty; the same again is what was kept. */
export type OpenCache = (limits?: Partial<CacheLimits>) => Promise<CachePort>;

/** Something that every cache does; `check` throws where one does not. It needs no test runner, so that a page can run it. */
export interface CachePromise {
  readonly title: string;
  check(open: OpenCache): Promise<void>;
}

/** A session with so many events. */
export function keptRecord(id: string, index: number, title = "Kept"): SessionRecord {
  return { ...emptyRecord(id), index, title };
}

/** The events of a session from one index to another. */
export function keptEvents(sessionId: string, from: number, to: number): DomainEvent[] {
  return Array.from({ length: to - from + 1 }, (_, at) => ({
    id: `e${from + at}`,
    sessionId,
    index: from + at,
    timestamp: "2026-01-01T00:00:00.000Z",
    type: "session_renamed",
    payload: { title: `Ünïcode ${from + at}`, by: "user" },
  }));
}

/** A command that waits. */
export const KEPT_COMMAND: QueuedCommand = {
  key: "k",
  place: 1,
  queuedAt: "t",
  attempt: 0,
  phase: { name: "waiting" },
  command: { type: "send", sessionId: "s", messageId: "m", content: "Hello" },
};

/** What every cache promises. */
export const CACHE_CONTRACT: readonly CachePromise[] = [
  {
    title: "has nothing of what was never kept",
    async check(open) {
      const cache = await open();
      same(await cache.load("list", "list"), undefined);
      same(await cache.loadAll("commands"), []);
      same(await cache.loadSession("s"), undefined);
      same(await cache.addEvents("s", keptEvents("s", 1, 2)), false);
      same(await cache.loadSession("s"), undefined);
      await cache.change([{ kind: "bags", id: "s", value: undefined }]);
      await cache.removeSession("s");
    },
  },
  {
    title: "gives back copies of what was kept last, by kind and id, until it is removed",
    async check(open) {
      const cache = await open();
      const bag = { draft: "And", at: new Date(5) };
      await cache.save("bags", "s", bag);
      await cache.save("commands", "k", { ...KEPT_COMMAND, attempt: 1 });
      await cache.save("commands", "k", KEPT_COMMAND);
      await cache.save("commands", "l", { ...KEPT_COMMAND, key: "l" });
      bag.draft = "changed afterwards";
      const kept = (await cache.load("bags", "s")) as typeof bag;
      same([kept.draft, kept.at.getTime()], ["And", 5]);
      same(await cache.load("commands", "k"), KEPT_COMMAND);
      same((await cache.loadAll("commands")).map(({ key }) => key).sort(), ["k", "l"]);
      await cache.change([{ kind: "commands", id: "k", value: undefined }]);
      same(
        (await cache.loadAll("commands")).map(({ key }) => key),
        ["l"],
      );
      same(await cache.load("list", "s"), undefined);
    },
  },
  {
    title: "changes several things in one go: all of them, or none",
    async check(open) {
      const cache = await open();
      const command = { ...KEPT_COMMAND, key: "k" };
      await cache.save("bags", "s", { draft: "Hello" });
      const unkeepable = { draft: () => {} };
      const refused = cache.change([
        { kind: "commands", id: "k", value: command },
        { kind: "bags", id: "s", value: undefined },
        { kind: "bags", id: "t", value: unkeepable },
      ]);
      same(await refused.then(() => "taken").catch((error: Error) => error.name), "DataCloneError");
      same([await cache.load("bags", "s"), await cache.loadAll("commands")], [{ draft: "Hello" }, []]);
      await cache.change([
        { kind: "bags", id: "s", value: { draft: "And" } },
        { kind: "commands", id: "k", value: command },
        { kind: "bags", id: "s", value: undefined },
      ]);
      same([await cache.load("bags", "s"), await cache.loadAll("commands")], [undefined, [command]]);
      await cache.change([]);
    },
  },
  {
    title: "forgets all sessions, and nothing that the user wrote",
    async check(open) {
      const cache = await open();
      for (const id of ["a", "b"]) await cache.saveSession(keptRecord(id, 1));
      await cache.addEvents("a", keptEvents("a", 2, 3));
      await cache.save("bags", "a", { draft: "mine" });
      await cache.save("commands", "k", KEPT_COMMAND);
      await cache.removeSessions();
      same(await present(cache, ["a", "b"]), []);
      same(await cache.addEvents("a", keptEvents("a", 4, 4)), false);
      same(
        [await cache.load("bags", "a"), await cache.loadAll("commands")],
        [{ draft: "mine" }, [KEPT_COMMAND]],
      );
    },
  },
  {
    title: "keeps a record with the events after it, and a new record in place of both",
    async check(open) {
      const cache = await open();
      await cache.saveSession(keptRecord("s", 3));
      await cache.saveSession(keptRecord("t", 1));
      same(await cache.addEvents("s", keptEvents("s", 4, 6)), true);
      same(await cache.addEvents("s", keptEvents("s", 7, 7)), true);
      const events = keptEvents("s", 4, 7);
      same(await cache.loadSession("s"), { record: keptRecord("s", 3), events });
      same(await cache.loadSession("t"), { record: keptRecord("t", 1), events: [] });
      await cache.saveSession(keptRecord("s", 2, "From the server's backup"));
      same(await cache.loadSession("s"), {
        record: keptRecord("s", 2, "From the server's backup"),
        events: [],
      });
      await cache.removeSession("s");
      same(await cache.loadSession("s"), undefined);
      same(await cache.addEvents("s", keptEvents("s", 3, 3)), false);
    },
  },
  {
    title: "throws away the sessions that were not used for longest, and nothing that the user wrote",
    async check(open) {
      const cache = await open({ maxSessions: 3 });
      await cache.save("commands", "k", KEPT_COMMAND);
      await cache.save("bags", "a", { draft: "mine" });
      for (const id of ["a", "b", "c"]) await cache.saveSession(keptRecord(id, 1));
      await cache.loadSession("a");
      await cache.addEvents("b", keptEvents("b", 2, 2));
      await cache.saveSession(keptRecord("d", 1));
      same(await present(cache, ["a", "b", "c", "d"]), ["a", "b", "d"]);
      same(await cache.load("bags", "a"), { draft: "mine" });
      same(await cache.loadAll("commands"), [KEPT_COMMAND]);
    },
  },
  {
    title: "takes no more room than it may",
    async check(open) {
      const cache = await open({ maxCharacters: 10_000 });
      for (let at = 0; at < 20; at++) await cache.saveSession(keptRecord(`s${at}`, 1, "x".repeat(3_000)));
      same(await present(cache, ["s16", "s17", "s18", "s19"]), ["s17", "s18", "s19"]);
      await cache.saveSession(keptRecord("s19", 1, "x".repeat(8_000)));
      same(await present(cache, ["s17", "s18", "s19"]), ["s19"]);
    },
  },
];

async function present(cache: CachePort, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const id of ids) if (await cache.loadSession(id)) found.push(id);
  return found;
}

function same(found: unknown, expected: unknown): void {
  const [one, other] = [found, expected].map((value) => JSON.stringify(value, sorted));
  if (one !== other) throw new Error(`It is ${one}, not ${other}`);
}

/** So that the order of fields does not count. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
