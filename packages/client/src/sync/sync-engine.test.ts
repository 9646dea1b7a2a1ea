import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { CachePort } from "../cache/cache-port.ts";
import { MemoryCache } from "../cache/memory-cache.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import { SHORT_BACKOFF, smallClient, until } from "../testing/small-client.ts";
import { SmallServer } from "../testing/small-server.ts";
import { SwitchedConnectivity } from "../testing/switched-connectivity.ts";
import { shownList, shownSession } from "./shown.ts";
import type { SyncEngine } from "./sync-engine.ts";

let server: SmallServer;
beforeEach(async () => {
  server = await SmallServer.start();
});
afterEach(() => server.stop());

async function started(cache?: CachePort, connectivity?: SwitchedConnectivity) {
  const parts = await smallClient({
    baseUrl: server.url,
    ...(cache && { cache }),
    ...(connectivity && { connectivity }),
  });
  onTestFinished(() => parts.engine.stop());
  return parts;
}

const isQuiet = (engine: SyncEngine, id: string) =>
  until(
    engine,
    ({ queue, open, list }) =>
      queue.length === 0 &&
      list.freshness.name === "current" &&
      open[id]?.freshness.name === "current" &&
      open[id].record.index === server.record.log(id).length,
  );

/** Often at once, and sometimes late enough that a whole session comes through. */
const cutBytes = fc.oneof(fc.nat(400), fc.nat(30_000));

describe("the engine", () => {
  it("shows a message at once, and then the recorded one in its place (S4.12)", async () => {
    const { engine } = await started();
    const id = engine.create({ title: "Trip" });
    const messageId = engine.send(id, "Where to?");
    expect(shownList(engine.state)).toMatchObject([{ id, title: "Trip" }]);
    expect(shownSession(engine.state, id)?.messages).toMatchObject([
      { id: messageId, content: "Where to?", pending: {} },
    ]);
    await isQuiet(engine, id);
    const [message, ...more] = shownSession(engine.state, id)?.messages ?? [];
    expect([message?.id, message?.pending, more]).toEqual([messageId, undefined, []]);
    server.record.agentWorks(id, 3, true);
    await isQuiet(engine, id);
    expect(engine.state.open[id]?.record).toEqual(server.record.record(id));
    expect(engine.state.list.sessions).toEqual(server.record.rows());
  });

  it("reads no list where nobody looks at it, and all else is as it is", async () => {
    for (const id of ["ses_one", "ses_two"]) server.record.execute({ type: "create", sessionId: id }, id);
    const { engine } = await smallClient({ baseUrl: server.url, readsList: false });
    onTestFinished(() => engine.stop());
    const id = engine.create({ title: "Trip" });
    engine.send(id, "Where to?");
    server.record.execute({ type: "create", sessionId: "ses_three" }, "three");
    await until(engine, ({ queue, open }) => queue.length === 0 && open[id]?.freshness.name === "current");
    expect(shownSession(engine.state, id)?.messages).toMatchObject([{ content: "Where to?" }]);
    expect(engine.state.list).toMatchObject({ sessions: {}, cursor: "0", freshness: { name: "unwanted" } });
  });

  it("goes to the fork that the user's edit makes, not to another's (S4.11, S4.28)", async () => {
    const { engine } = await started();
    const id = engine.create();
    const messageId = engine.send(id, "Teh");
    await isQuiet(engine, id);
    server.record.execute({ type: "fork", sessionId: id, childId: "ses_of_somebody_else" }, "k");
    await isQuiet(engine, id);
    expect(engine.state.current).toBe(id);
    const childId = engine.edit(id, messageId, { content: "The" });
    await until(engine, ({ current }) => current === childId);
    await isQuiet(engine, childId);
    expect(shownSession(engine.state, childId)?.messages).toMatchObject([{ content: "The" }]);
  });

  it("keeps what is sent offline over a reload, and sends it once under the same key (invariant 19)", async () => {
    const cache = new MemoryCache();
    const connectivity = new SwitchedConnectivity();
    connectivity.isOnline = false;
    const first = await started(cache, connectivity);
    const id = first.engine.create({ title: "On a plane" });
    const messageId = first.engine.send(id, "Hello");
    const keys = first.engine.state.queue.map(({ key }) => key);
    await first.engine.stop();
    expect(server.got).toEqual([]);

    const second = await started(cache, connectivity);
    await second.engine.open(id);
    expect(shownSession(second.engine.state, id)?.messages).toMatchObject([{ id: messageId }]);
    connectivity.turn(true);
    await isQuiet(second.engine, id);
    expect(server.got.flatMap(({ key }) => key ?? [])).toEqual(keys);
    expect(server.record.record(id).messages).toHaveLength(1);
    expect(await cache.loadAll("commands")).toEqual([]);
  });

  it("stays where the user went last, whichever session was loaded first", async () => {
    const { engine } = await started();
    for (const sessionId of ["a", "b", "c"]) server.record.execute({ type: "create", sessionId }, sessionId);
    await Promise.all([engine.open("a"), engine.open("b"), engine.openBeside("c")]);
    expect(Object.keys(engine.state.open).sort()).toEqual(["a", "b", "c"]);
    expect(engine.state.current).toBe("b");
    const going = engine.open("d");
    const made = engine.create();
    await going;
    expect(engine.state.current).toBe(made);
  });

  it("shows what it kept before the server answers (S4.12)", async () => {
    const { engine, cache } = await started();
    const id = engine.create({ title: "Kept" });
    engine.send(id, "Hello");
    await isQuiet(engine, id);
    for (const draft of ["A", "An", "And then"]) engine.saveUiState(id, { draft });
    expect(await engine.loadUiState(id)).toEqual({ draft: "And then" });
    await engine.stop();
    const connectivity = new SwitchedConnectivity();
    connectivity.isOnline = false;
    const { engine: later } = await started(cache, connectivity);
    await later.open(id);
    expect(shownList(later.state)).toMatchObject([{ id, title: "Kept" }]);
    expect(shownSession(later.state, id)).toMatchObject({
      isCurrent: false,
      messages: [{ content: "Hello" }],
    });
    expect(await later.loadUiState(id)).toEqual({ draft: "And then" });
    later.saveUiState(id, undefined);
    await later.flush();
    expect(await cache.loadAll("bags")).toEqual([]);
  });

  it("says why a command was refused, keeps it, and sends it again when asked", async () => {
    const { engine } = await started();
    const id = engine.create();
    await isQuiet(engine, id);
    server.instead.push({
      status: 422,
      body: '{"code":"invalid","detail":"Too long","errors":[{"path":"body.content","message":"long"}]}',
    });
    engine.send(id, "Hello");
    await until(engine, ({ queue }) => queue[0]?.phase.name === "refused");
    expect(engine.state.lastError).toMatchObject({ code: "invalid", field: "body.content", status: 422 });
    engine.retryCommand(engine.state.queue[0]?.key ?? "");
    await isQuiet(engine, id);
    expect(server.record.record(id).messages).toHaveLength(1);
  });

  it("asks at once whether it may not read on where a feed is ended for its reader, and waits where it is refused", async () => {
    const rests: number[] = [];
    const clock: Clock = {
      ...systemClock,
      sleep(milliseconds, signal) {
        if (Object.values(SHORT_BACKOFF).includes(milliseconds)) rests.push(milliseconds);
        return systemClock.sleep(milliseconds, signal);
      },
    };
    const { engine } = await smallClient({ baseUrl: server.url, clock });
    onTestFinished(() => engine.stop());
    await until(engine, ({ connection, list }) => connection === "live" && list.freshness.name === "current");
    const detail = "Access was taken away";
    server.instead.push({ status: 401, body: JSON.stringify({ code: "not_authenticated", detail }) });
    for (const feed of server.feeds) feed.end(`event: ended\ndata: ${JSON.stringify({ detail })}\n\n`);
    await expect.poll(() => rests).toHaveLength(2);
    await until(engine, ({ connection }) => connection === "live");
    expect(rests).toEqual([SHORT_BACKOFF.firstMs, SHORT_BACKOFF.maxMs]);
  });

  it("converges though every connection is cut at any byte, and each send happens once (invariant 19, S4.29)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(cutBytes), fc.nat(2), async (cuts, reloads) => {
        const bytes = cuts[Symbol.iterator]();
        let isCut = true;
        server.cutAfter = () => (isCut ? Number(bytes.next().value) : Number.POSITIVE_INFINITY);
        const cache = new MemoryCache();
        let { engine, connectivity } = await started(cache);
        const id = engine.create();
        const sent: string[] = [];
        for (let turn = 0; turn < 6; turn++) {
          sent.push(engine.send(id, `Message ${turn}`));
          server.record.agentWorks(id, 5, turn % 2 === 1);
          if (turn % 3 === 0) connectivity.turn(turn % 2 === 1);
          if (turn % 2 < reloads) {
            await engine.stop();
            ({ engine, connectivity } = await started(cache));
            await engine.open(id);
          }
        }
        connectivity.turn(true);
        await until(engine, ({ queue }) => queue.length === 0);
        isCut = false;
        for (const feed of server.feeds) feed.destroy();
        server.record.agentWorks(id, 5, true);
        await isQuiet(engine, id);
        const { messages } = server.record.record(id);
        expect(messages.filter(({ role }) => role === "user").map((message) => message.id)).toEqual(sent);
        expect(engine.state.open[id]?.record).toEqual(server.record.record(id));
        expect(engine.state.list.sessions).toEqual(server.record.rows());
        await engine.stop();
      }),
      { numRuns: Number(process.env.PARLEY_CUTS ?? 12), endOnFailure: true },
    );
  });
});
