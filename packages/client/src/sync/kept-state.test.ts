import { expect, it } from "vitest";
import type { DomainEvent } from "../api/domain-event.ts";
import { KEPT_COMMAND } from "../cache/contract/cache-contract.ts";
import { MemoryCache } from "../cache/memory-cache.ts";
import { systemClock } from "../ports/clock.ts";
import { SmallRecord } from "../testing/small-record.ts";
import { evolveRecord } from "./evolve-record.ts";
import { KeptState } from "./kept-state.ts";
import { emptyRecord, type SessionRecord } from "./session-record.ts";

/** Counts what is written. */
class CountedCache extends MemoryCache {
  characters = 0;
  records = 0;

  override saveSession(record: SessionRecord): Promise<void> {
    this.records++;
    this.characters += JSON.stringify(record).length;
    return super.saveSession(record);
  }

  override addEvents(sessionId: string, events: readonly DomainEvent[]): Promise<boolean> {
    this.characters += JSON.stringify(events).length;
    return super.addEvents(sessionId, events);
  }
}

/** A session with many answers, of this many events in all. */
function longSession(events: number): readonly DomainEvent[] {
  const server = new SmallRecord();
  server.execute({ type: "create", sessionId: "s" }, "create");
  for (let at = 0; server.log("s").length < events; at++) {
    server.execute({ type: "send", sessionId: "s", messageId: `m${at}`, content: "Go on" }, `k${at}`);
    server.agentWorks("s", 50, true);
  }
  return server.log("s").slice(0, events);
}

/** Keeps the events as they come, a few at a time, and says what that cost and what is kept then. */
async function streamed(events: readonly DomainEvent[], known = 0) {
  const cache = new CountedCache();
  const onError = (error: unknown) => expect(error).toBeUndefined();
  const kept = () => new KeptState({ cache, clock: systemClock, keepEveryMs: 0, onError });
  let record = emptyRecord("s");
  let state = kept();
  for (const [at, event] of events.entries()) {
    record = evolveRecord(record, event);
    if (at < known) continue;
    state.run({ type: "keepSession", record, ...(at > known && { events: [event] }) });
    // The pages come and go, and what is written is written in many small pieces.
    if (at % 100 === 99) {
      await state.stop();
      state = kept();
      await state.loadSession("s");
    }
  }
  await state.stop();
  return { cache, record, loaded: await kept().loadSession("s") };
}

it("keeps a session as it is, by what happened since it was kept whole", async () => {
  const { record, loaded } = await streamed(longSession(3_000));
  expect(loaded).toEqual(record);
});

it("writes in proportion to what comes, also when that is long: 1,000 and 10,000 events (S4.12)", async () => {
  const events = longSession(10_000);
  const [some, all] = [await streamed(events.slice(0, 1_000)), await streamed(events)];
  expect(all.cache.characters).toBeLessThan(some.cache.characters * 15);
  expect(all.cache.records).toBeLessThan(20);
});

it("writes little when little comes to a long session", async () => {
  const { cache, record } = await streamed(longSession(10_000), 9_000);
  expect(cache.records).toBe(1);
  expect(cache.characters).toBeLessThan(JSON.stringify(record).length + 1_000 * 300);
});

it("takes events that two pages kept, in any order and twice, and none after a gap", async () => {
  const events = longSession(10);
  const cache = new MemoryCache();
  await cache.saveSession({ ...emptyRecord("s"), index: 0 });
  for (const [from, to] of [
    [3, 6],
    [0, 4],
    [0, 2],
    [8, 10],
  ] as const)
    await cache.addEvents("s", events.slice(from, to));
  const state = new KeptState({ cache, clock: systemClock, keepEveryMs: 0, onError: () => {} });
  expect(await state.loadSession("s")).toEqual(events.slice(0, 6).reduce(evolveRecord, emptyRecord("s")));
});

it("keeps a session whole where the cache has forgotten it meanwhile", async () => {
  const events = longSession(20);
  const cache = new MemoryCache();
  const state = new KeptState({ cache, clock: systemClock, keepEveryMs: 0, onError: () => {} });
  const early = events.slice(0, 10).reduce(evolveRecord, emptyRecord("s"));
  await cache.saveSession(early);
  await state.loadSession("s");
  await cache.removeSession("s");
  const late = events.reduce(evolveRecord, emptyRecord("s"));
  state.run({ type: "keepSession", record: late, events: events.slice(10) });
  await state.stop();
  expect(await cache.loadSession("s")).toEqual({ record: late, events: [] });
});

it("keeps what is done in one go in one go: a sent message is a draft or in the queue, never both or neither (S4.12)", async () => {
  const cache = new MemoryCache();
  const changes: string[][] = [];
  const { change } = cache;
  cache.change = (all) => {
    changes.push(all.map(({ kind, id, value }) => `${value === undefined ? "-" : "+"}${kind}/${id}`));
    return change.call(cache, all);
  };
  const onError = (error: unknown) => expect(error).toBeUndefined();
  const state = new KeptState({ cache, clock: systemClock, keepEveryMs: 60_000, onError });
  state.saveUiState("new", { draft: "Hello" });
  await state.flush();
  // As the first page does: the field is emptied, a session is made, the message goes there.
  state.saveUiState("new", undefined);
  for (const key of ["create", "send"]) state.run({ type: "keepCommand", command: { ...KEPT_COMMAND, key } });
  expect(await state.loadUiState("new")).toBeUndefined();
  await state.written;
  expect(changes).toEqual([["+bags/new"], ["-bags/new", "+commands/create", "+commands/send"]]);
  expect([await cache.load("bags", "new"), await cache.loadAll("commands")]).toMatchObject([
    undefined,
    [{ key: "create" }, { key: "send" }],
  ]);
  await state.stop();
});
