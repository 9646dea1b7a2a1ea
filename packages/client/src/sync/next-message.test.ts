import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { MemoryCache } from "../cache/memory-cache.ts";
import { smallClient, until } from "../testing/small-client.ts";
import { SmallServer } from "../testing/small-server.ts";
import { SmallTab } from "../testing/small-tab.ts";
import { shownSession } from "./shown.ts";
import type { SyncEngine } from "./sync-engine.ts";

let server: SmallServer;
beforeEach(async () => {
  server = await SmallServer.start();
  server.record.execute({ type: "create", sessionId: "s" }, "create");
  server.record.execute({ type: "send", sessionId: "s", messageId: "first", content: "Hello" }, "first");
});
afterEach(() => server.stop());

async function page(cache = new MemoryCache()): Promise<SyncEngine> {
  const { engine } = await smallClient({ baseUrl: server.url, cache });
  onTestFinished(() => engine.stop());
  return engine;
}

const said = () =>
  server.record.record("s").messages.flatMap(({ role, content }) => (role === "user" ? [content] : []));
const nextOf = (engine: SyncEngine) => shownSession(engine.state, "s")?.next.map(({ content }) => content);
const isCurrent = (engine: SyncEngine) => until(engine, ({ open }) => open.s?.freshness.name === "current");

describe("a message that is to be said next", () => {
  it("waits for the end of the run, in its order and apart from what was said, and each for the one before it", async () => {
    const engine = await page();
    await engine.open("s");
    await isCurrent(engine);
    engine.sendNext("s", "Two");
    engine.sendNext("s", "Three");
    expect(nextOf(engine)).toEqual(["Two", "Three"]);
    expect(shownSession(engine.state, "s")?.messages).toHaveLength(1);
    server.record.agentWorks("s", 3, false);
    await until(engine, ({ open }) => open.s?.record.index === server.record.log("s").length);
    expect(said()).toEqual(["Hello"]);
    server.record.agentWorks("s", 0, true);
    await expect.poll(said).toEqual(["Hello", "Two"]);
    await until(engine, ({ open }) => open.s?.record.index === server.record.log("s").length);
    expect(nextOf(engine)).toEqual(["Three"]);
    server.record.agentWorks("s", 1, true);
    await expect.poll(said).toEqual(["Hello", "Two", "Three"]);
    await until(engine, ({ queue }) => queue.length === 0);
  });

  it("outlives a reload, and is sent once though nobody looks at its session (invariant 19)", async () => {
    const cache = new MemoryCache();
    const before = await page(cache);
    await before.open("s");
    await isCurrent(before);
    before.sendNext("s", "Two");
    await before.stop();
    const engine = await page(cache);
    await until(engine, ({ queue }) => queue.length === 1);
    await isCurrent(engine);
    expect(engine.state.current).toBeUndefined();
    server.record.agentWorks("s", 1, true);
    await until(engine, ({ queue, open }) => queue.length === 0 && open.s === undefined);
    expect(said()).toEqual(["Hello", "Two"]);
    expect(server.got.filter(({ key }) => key !== undefined)).toHaveLength(1);
  });

  it("leaves a session open that somebody looks at when it was sent, whoever opened it first", async () => {
    const cache = new MemoryCache();
    const before = await page(cache);
    await before.open("s");
    await isCurrent(before);
    before.sendNext("s", "Two");
    await before.stop();
    const engine = await page(cache);
    await isCurrent(engine);
    await engine.openBeside("s");
    server.record.agentWorks("s", 1, true);
    await until(engine, ({ queue }) => queue.length === 0);
    expect(engine.state.open.s).toBeDefined();
    engine.sendNext("s", "Three");
    engine.close("s");
    await isCurrent(engine);
    server.record.agentWorks("s", 1, true);
    await expect.poll(said).toEqual(["Hello", "Two", "Three"]);
    await until(engine, ({ queue, open }) => queue.length === 0 && open.s === undefined);
  });

  it("holds back nothing but its like: a run can be cancelled, and that is its end", async () => {
    const engine = await page();
    await engine.open("s");
    await isCurrent(engine);
    engine.sendNext("s", "Two");
    const [runId = ""] = Object.keys(engine.state.open.s?.record.active ?? {});
    engine.cancel("s", runId);
    await expect.poll(said).toEqual(["Hello", "Two"]);
  });

  it("can be taken back, or sent at once", async () => {
    const engine = await page();
    await engine.open("s");
    await isCurrent(engine);
    engine.sendNext("s", "Two");
    engine.sendNext("s", "Three");
    const [two, three] = shownSession(engine.state, "s")?.next ?? [];
    engine.discardCommand(two?.key ?? "");
    engine.sendNow(three?.key ?? "");
    await expect.poll(said).toEqual(["Hello", "Three"]);
    expect(nextOf(engine)).toEqual([]);
  });

  it("is sent by the tab that leads, whichever it was said in, and whichever is asked to hurry", async () => {
    const options = { baseUrl: server.url, name: `next-${process.pid}`, cache: new MemoryCache() };
    const tabs = [await SmallTab.open(options), await SmallTab.open(options)];
    onTestFinished(() => Promise.all(tabs.map((tab) => tab.close())).then(() => {}));
    const [leader, other] = tabs.map(({ engine }) => engine);
    if (!leader || !other) throw new Error("Two tabs were opened");
    await until(leader, ({ isLeading, connection }) => isLeading && connection === "live");
    await other.open("s");
    await isCurrent(other);
    other.sendNext("s", "Two");
    await isCurrent(leader);
    expect(said()).toEqual(["Hello"]);
    server.record.agentWorks("s", 2, true);
    await expect.poll(said).toEqual(["Hello", "Two"]);
    await until(other, ({ queue }) => queue.length === 0);
    other.sendNext("s", "Three");
    await until(leader, ({ queue }) => queue.length === 1);
    other.sendNow(other.state.queue[0]?.key ?? "");
    await expect.poll(said).toEqual(["Hello", "Two", "Three"]);
    expect(server.got.filter(({ key }) => key !== undefined)).toHaveLength(2);
  });
});
