import "fake-indexeddb/auto";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { LastingCache } from "../cache/lasting-cache.ts";
import { failingPuts } from "../testing/failing-database.ts";
import { smallClient, until } from "../testing/small-client.ts";
import { SmallRecord } from "../testing/small-record.ts";
import { SmallServer } from "../testing/small-server.ts";
import { SwitchedConnectivity } from "../testing/switched-connectivity.ts";
import { shownList, shownSession } from "./shown.ts";

let server: SmallServer;
let name: string;
let databases = 0;
beforeEach(async () => {
  server = await SmallServer.start();
  name = `offline-${databases++}`;
});
afterEach(() => server.stop());

/** A page, with what an earlier one kept. */
async function page(isOnline = true) {
  const cache = await LastingCache.open({ name });
  const connectivity = new SwitchedConnectivity();
  connectivity.isOnline = isOnline;
  const { engine } = await smallClient({ baseUrl: server.url, cache, connectivity });
  const close = async () => {
    await engine.stop();
    cache.close();
  };
  onTestFinished(close);
  return { engine, cache, connectivity, close };
}

type Page = Awaited<ReturnType<typeof page>>;

const isCurrent = ({ engine }: Page, id: string) =>
  until(
    engine,
    ({ queue, open, list }) =>
      queue.length === 0 &&
      list.freshness.name === "current" &&
      open[id]?.freshness.name === "current" &&
      open[id].record.index === server.record.log(id).length,
  );

describe("a page without a network", () => {
  it("shows what waits, over reloads, and sends each once in its order when the network is back (invariant 19)", async () => {
    let current = await page(false);
    const id = current.engine.create({ title: "On a plane" });
    const sent = [current.engine.send(id, "One"), current.engine.send(id, "Two")];
    for (let reloads = 0; reloads < 2; reloads++) {
      await current.close();
      current = await page(false);
      await current.engine.open(id);
      sent.push(current.engine.send(id, `After reload ${reloads}`));
    }
    const shown = shownSession(current.engine.state, id)?.messages ?? [];
    expect(shown.map((message) => [message.id, message.pending?.phase.name])).toEqual(
      sent.map((messageId) => [messageId, "waiting"]),
    );
    const keys = current.engine.state.queue.map(({ key }) => key);
    current.connectivity.turn(true);
    await isCurrent(current, id);
    expect(server.record.record(id).messages.map((message) => message.id)).toEqual(sent);
    expect(server.got.flatMap(({ key }) => key ?? [])).toEqual(keys);
    await current.engine.flush();
    expect(await current.cache.loadAll("commands")).toEqual([]);
  });

  it("sends under the same key what was sent before a reload and not answered (invariant 19)", async () => {
    const first = await page();
    const id = first.engine.create();
    await isCurrent(first, id);
    let cuts = 3;
    server.cutAfter = () => (cuts-- > 0 ? 0 : Number.POSITIVE_INFINITY);
    first.engine.send(id, "Hello");
    await expect.poll(() => server.record.record(id).messages.length).toBe(1);
    await first.close();
    const second = await page();
    await second.engine.open(id);
    await isCurrent(second, id);
    expect(server.record.record(id).messages).toHaveLength(1);
  });
});

describe("a page that comes back", () => {
  it("asks only for what has happened since, of the list and of a session (S4.12)", async () => {
    const first = await page();
    const id = first.engine.create({ title: "Long" });
    first.engine.send(id, "Hello");
    await isCurrent(first, id);
    server.record.agentWorks(id, 50, true);
    await isCurrent(first, id);
    await first.close();
    server.got.length = 0;
    const [lines, events] = [server.record.lines.length, server.record.log(id).length];
    const second = await page();
    await second.engine.open(id);
    await isCurrent(second, id);
    const asked = server.got.filter(({ path }) => path !== "/events");
    expect(new Set(asked.map(({ path, query }) => path + query))).toEqual(
      new Set([`/sessions?limit=200&since=${lines}`, `/sessions/${id}?events_since=${events}`]),
    );
  });
});

describe("a server that begins anew", () => {
  it("is noticed by a page that is open: it shows what there is, and says of a command why it cannot be", async () => {
    const client = await page();
    const id = client.engine.create({ title: "Before" });
    client.engine.send(id, "Hello");
    await isCurrent(client, id);
    server.record.agentWorks(id, 20, true);
    await isCurrent(client, id);
    const other = new SmallRecord();
    other.execute({ type: "create", sessionId: "new", title: "After" }, "k");
    server.forget(other);
    await until(client.engine, (state) => shownList(state).some((row) => row.id === "new"));
    await until(client.engine, ({ open }) => open[id]?.freshness.name === "gone");
    expect(shownList(client.engine.state).map((row) => row.id)).toEqual(["new"]);
    expect(shownSession(client.engine.state, id)).toMatchObject({ isGone: true, title: "Before" });
    client.engine.send(id, "Anybody?");
    await until(client.engine, ({ queue }) => queue[0]?.phase.name === "refused");
    await client.engine.open("new");
    await until(client.engine, ({ open }) => open.new?.freshness.name === "current");
  });

  it("is noticed by a page that comes back with what it kept: also where a session has less than it knows", async () => {
    const first = await page();
    const id = first.engine.create({ title: "Before" });
    first.engine.send(id, "Hello");
    server.record.agentWorks(id, 20, true);
    await isCurrent(first, id);
    await first.close();
    const backup = new SmallRecord();
    backup.execute({ type: "create", sessionId: id, title: "From the backup" }, "k");
    server.forget(backup);
    const second = await page();
    await second.engine.open(id);
    await isCurrent(second, id);
    expect(second.engine.state.open[id]?.record).toEqual(backup.record(id));
    expect(second.engine.state.list.sessions).toEqual(backup.rows());
    await second.close();
    const third = await page(false);
    await third.engine.open(id);
    expect(third.engine.state.open[id]?.record).toEqual(backup.record(id));
  });
});

describe("a page whose database breaks", () => {
  it("says so, and goes on", async () => {
    const client = await page();
    expect(client.engine.state.keeping).toEqual({ name: "lasting" });
    failingPuts("UnknownError", () => true);
    const id = client.engine.create({ title: "Not kept" });
    client.engine.send(id, "Hello");
    await isCurrent(client, id);
    expect(client.engine.state.keeping).toEqual({ name: "memory", reason: "broken" });
    expect(server.record.record(id).messages).toHaveLength(1);
  });

  it("says what it could not keep where there is no room, and sends it all the same", async () => {
    const client = await page();
    failingPuts("QuotaExceededError", (store) => store === "commands");
    const id = client.engine.create({ title: "No room" });
    await until(client.engine, ({ lastError }) => lastError?.message.includes("no room") === true);
    await isCurrent(client, id);
    expect(client.engine.state.keeping).toEqual({ name: "lasting" });
  });
});
