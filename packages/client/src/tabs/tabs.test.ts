import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { MemoryCache } from "../cache/memory-cache.ts";
import { shownList, shownSession } from "../sync/shown.ts";
import { until } from "../testing/small-client.ts";
import { SmallServer } from "../testing/small-server.ts";
import { SmallTab } from "../testing/small-tab.ts";
import { SwitchedConnectivity } from "../testing/switched-connectivity.ts";

let server: SmallServer;
beforeEach(async () => {
  server = await SmallServer.start();
});
afterEach(() => server.stop());

let browsers = 0;

/** A browser: what its tabs have in common. */
class Browser {
  readonly name = `browser-${process.pid}-${browsers++}`;
  readonly cache = new MemoryCache();
  readonly connectivity = new SwitchedConnectivity();
  readonly tabs: SmallTab[] = [];

  constructor() {
    onTestFinished(async () => {
      await Promise.all(this.tabs.map((tab) => tab.close()));
    });
  }

  async open(): Promise<SmallTab> {
    const { name, cache, connectivity } = this;
    const tab = await SmallTab.open({ baseUrl: server.url, name, cache, connectivity });
    this.tabs.push(tab);
    return tab;
  }

  /** The tab is gone, without a word to the others. */
  async close(tab: SmallTab): Promise<void> {
    this.tabs.splice(this.tabs.indexOf(tab), 1);
    await tab.close();
  }

  leader(): SmallTab | undefined {
    return this.tabs.find(({ engine }) => engine.state.isLeading);
  }

  async live(): Promise<void> {
    await Promise.all(
      this.tabs.map(({ engine }) => until(engine, ({ connection }) => connection === "live")),
    );
  }

  /** All tabs have the session as the server has it, and nothing waits. */
  async agree(sessionId: string): Promise<void> {
    const isSo = ({ engine }: SmallTab) => {
      const { queue, open, list } = engine.state;
      const events = server.record.log(sessionId).length;
      return (
        queue.length === 0 &&
        list.freshness.name === "current" &&
        list.sessions[sessionId]?.revision === events &&
        open[sessionId]?.freshness.name === "current" &&
        open[sessionId].record.index === events
      );
    };
    // All of them at one time: what one has yet to send, the others do not know of.
    await expect.poll(() => this.tabs.every(isSo), { interval: 5, timeout: 60_000 }).toBe(true);
    for (const { engine } of this.tabs) {
      expect(engine.state.open[sessionId]?.record).toEqual(server.record.record(sessionId));
      expect(engine.state.list.sessions).toEqual(server.record.rows());
    }
  }
}

const keysSent = () => server.got.flatMap(({ key }) => key ?? []);

describe("several tabs", () => {
  it("have one connection to the server's events, and all hear the same (S4.19)", async () => {
    const browser = new Browser();
    server.record.execute({ type: "create", sessionId: "s" }, "create");
    const tabs = [await browser.open(), await browser.open(), await browser.open()];
    await browser.live();
    for (const { engine } of tabs) await engine.open("s");
    server.record.execute({ type: "send", sessionId: "s", messageId: "m", content: "Hello" }, "k");
    server.record.agentWorks("s", 50, true);
    await browser.agree("s");
    expect(server.feeds.size).toBe(1);
    expect(tabs.filter(({ engine }) => engine.state.isLeading)).toHaveLength(1);
    const [first, ...others] = tabs.map((tab) => tab.heard("s"));
    expect(first).toEqual(
      server.record
        .log("s")
        .slice(1)
        .map(({ index }) => index),
    );
    for (const heard of others) expect(heard).toEqual(first);
  });

  it("send what is written in any of them once, and show it in all (invariant 19)", async () => {
    const browser = new Browser();
    const tabs = [await browser.open(), await browser.open(), await browser.open()];
    await browser.live();
    const id = tabs[1]?.engine.create({ title: "Together" }) ?? "";
    for (const { engine } of tabs) {
      await until(engine, (state) => shownList(state).length === 1);
      await engine.open(id);
    }
    const sent = tabs.map(({ engine }, at) => engine.send(id, `From ${at}`));
    await browser.agree(id);
    const { messages } = server.record.record(id);
    expect(messages.map((message) => message.id).sort()).toEqual(sent.sort());
    expect(keysSent()).toHaveLength(4);
    expect(new Set(keysSent()).size).toBe(4);
    for (const { engine } of tabs) expect(shownList(engine.state)).toMatchObject([{ id, title: "Together" }]);
    await expect.poll(() => browser.cache.loadAll("commands")).toEqual([]);
  });

  it("go on when the leader is gone: each event once, none lost, one connection", async () => {
    const browser = new Browser();
    server.record.execute({ type: "create", sessionId: "s" }, "create");
    server.record.execute({ type: "send", sessionId: "s", messageId: "m", content: "Hello" }, "k");
    for (let at = 0; at < 4; at++) await browser.open();
    await browser.live();
    for (const { engine } of browser.tabs) await engine.open("s");
    const first = server.record.log("s").length;
    for (let deaths = 0; deaths < 3; deaths++) {
      server.record.agentWorks("s", 20, false);
      await browser.agree("s");
      const leader = browser.leader();
      if (!leader) throw new Error("Nobody leads");
      const closing = browser.close(leader);
      server.record.agentWorks("s", 20, false);
      await closing;
      await browser.agree("s");
      await expect.poll(() => server.feeds.size).toBe(1);
    }
    const [last] = browser.tabs;
    const all = server.record
      .log("s")
      .slice(first)
      .map(({ index }) => index);
    expect(last?.heard("s")).toEqual(all);
    const starts = last?.items.filter((item) => item.type === "opened" && !item.isResumed);
    expect(starts).toHaveLength(1);
  });

  it("see what waits for the network in all of them; it is sent once though the one who wrote it is gone", async () => {
    const browser = new Browser();
    browser.connectivity.isOnline = false;
    const [one, two, three] = [await browser.open(), await browser.open(), await browser.open()];
    const id = two.engine.create({ title: "On a plane" });
    const messageId = two.engine.send(id, "Hello");
    for (const { engine } of [one, three]) {
      await until(engine, ({ queue }) => queue.length === 2);
      await engine.open(id);
      expect(shownSession(engine.state, id)?.messages).toMatchObject([
        { id: messageId, pending: { phase: { name: "waiting" } } },
      ]);
    }
    await browser.close(two);
    await browser.close(one);
    await until(three.engine, ({ isLeading }) => isLeading);
    browser.connectivity.turn(true);
    await browser.agree(id);
    expect(server.record.record(id).messages).toHaveLength(1);
    expect(keysSent()).toHaveLength(2);
  });

  it("all know that a command was refused, and that it was tried again or given up in one of them", async () => {
    const browser = new Browser();
    const [leader, other, third] = [await browser.open(), await browser.open(), await browser.open()];
    await browser.live();
    const id = leader.engine.create();
    for (const { engine } of browser.tabs) await engine.open(id);
    await browser.agree(id);
    const refusal = { method: "POST", status: 422, body: '{"code":"invalid","detail":"Too long"}' };
    const isRefused = () =>
      Promise.all(
        browser.tabs.map(({ engine }) => until(engine, ({ queue }) => queue[0]?.phase.name === "refused")),
      );
    server.instead.push(refusal);
    third.engine.send(id, "Hello");
    await isRefused();
    other.engine.retryCommand(other.engine.state.queue[0]?.key ?? "");
    await browser.agree(id);
    expect(server.record.record(id).messages).toHaveLength(1);
    server.instead.push(refusal);
    leader.engine.send(id, "Again");
    await isRefused();
    other.engine.discardCommand(other.engine.state.queue[0]?.key ?? "");
    await browser.agree(id);
    expect(server.record.record(id).messages).toHaveLength(1);
    await expect.poll(() => browser.cache.loadAll("commands")).toEqual([]);
  });

  it("go to a fork only where the user made it (S4.28)", async () => {
    const browser = new Browser();
    const [leader, other] = [await browser.open(), await browser.open()];
    await browser.live();
    const id = leader.engine.create();
    const messageId = leader.engine.send(id, "Teh");
    await other.engine.open(id);
    await browser.agree(id);
    const childId = other.engine.edit(id, messageId, { content: "The" });
    await until(other.engine, ({ current }) => current === childId);
    await browser.agree(id);
    expect(leader.engine.state.current).toBe(id);
  });

  it("agree in the end, whatever comes and goes (invariant 19)", async () => {
    const move = fc.tuple(
      fc.constantFrom("open", "close", "kill", "send", "work", "cut", "rest"),
      fc.nat(100),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 25 }), async (moves) => {
        const browser = new Browser();
        const id = (await browser.open()).engine.create();
        const sent: string[] = [];
        for (const [name, chance] of moves) {
          const tab = browser.tabs[chance % browser.tabs.length];
          if (name === "open" || !tab) await (await browser.open()).engine.open(id);
          else if (name === "close" && browser.tabs.length > 1) await browser.close(tab);
          else if (name === "kill") await browser.close(browser.leader() ?? tab);
          else if (name === "send") sent.push(tab.engine.send(id, `${chance}`));
          else if (name === "work") server.record.agentWorks(id, chance % 7, chance % 3 === 0);
          else if (name === "cut") for (const feed of server.feeds) feed.destroy();
          else await new Promise((resolve) => setTimeout(resolve, chance % 10));
        }
        if (browser.tabs.length === 0) await browser.open();
        for (const { engine } of browser.tabs) await engine.open(id);
        await browser.agree(id);
        const said = server.record.record(id).messages.filter(({ role }) => role === "user");
        expect(said.map((message) => message.id).sort()).toEqual(sent.sort());
        await Promise.all(browser.tabs.splice(0).map((tab) => tab.close()));
      }),
      { numRuns: Number(process.env.PARLEY_CUTS ?? 12), endOnFailure: true },
    );
  });
});
