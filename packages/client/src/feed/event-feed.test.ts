import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { SHORT_BACKOFF } from "../testing/small-client.ts";
import { SmallServer } from "../testing/small-server.ts";
import { SwitchedConnectivity } from "../testing/switched-connectivity.ts";
import { EventFeed, type EventFeedOptions } from "./event-feed.ts";
import type { FeedItem } from "./feed-item.ts";

let server: SmallServer;
beforeEach(async () => {
  server = await SmallServer.start();
  server.record.execute({ type: "create", sessionId: "s" }, "create");
});
afterEach(() => server.stop());

/** Reads into a list until there is enough of it. */
async function readUntil(
  options: Partial<EventFeedOptions>,
  isEnough: (items: readonly FeedItem[]) => boolean,
): Promise<FeedItem[]> {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const feed = new EventFeed({ baseUrl: server.url, backoff: SHORT_BACKOFF, ...options });
  const items: FeedItem[] = [];
  for await (const item of feed.read(stop.signal)) {
    items.push(item);
    if (isEnough(items)) break;
  }
  return items;
}

const indices = (items: readonly FeedItem[]) =>
  items.flatMap((item) => (item.type === "event" ? [item.event.index] : []));

describe("the event feed", () => {
  it("yields each event once and in order, wherever connections are cut (S4.19)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.integer({ min: 1, max: 3_000 })), async (cuts) => {
        const bytes = cuts[Symbol.iterator]();
        server.cutAfter = () => Number(bytes.next().value);
        const before = server.record.log("s").length;
        const events = 40;
        const reading = readUntil(
          { cursor: String(server.record.lines.length) },
          (items) => indices(items).length >= events,
        );
        for (let at = 0; at < events; at++)
          server.record.append("s", [{ type: "session_renamed", title: `Ünïcode ${at}`, by: "user" }]);
        expect(indices(await reading)).toEqual(Array.from({ length: events }, (_, at) => before + at + 1));
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });

  it("drops what a server repeats", async () => {
    server.record.append("s", [{ type: "session_archived" }, { type: "session_restored" }]);
    const frame = (index: number) =>
      `data: {"sessionId":"s","index":${index},"type":"session_archived","payload":{}}\n\n`;
    server.instead.push({ status: 200, body: [1, 2, 2, 1, 3, 3].map(frame).join("") });
    expect(indices(await readUntil({}, (items) => items.at(-1)?.type === "closed"))).toEqual([1, 2, 3]);
  });

  it("tells of resets, of sessions that are gone, and of kinds that it knows", async () => {
    server.instead.push({
      status: 200,
      body: [
        'event: reset\ndata: {"sessionId":"s","index":2}',
        'event: gone\ndata: {"sessionId":"t"}',
        'event: something_new\ndata: {"sessionId":"t"}',
        ': heartbeat\n\nevent: session_changed\ndata: {"sessionId":"u","change":"created"}\n\n',
      ].join("\n\n"),
    });
    const items = await readUntil({}, (read) => read.at(-1)?.type === "closed");
    expect(items).toMatchObject([
      { type: "reset", sessionId: "s", index: 2 },
      { type: "gone", sessionId: "t" },
      { type: "changed", sessionId: "u" },
      { type: "closed" },
    ]);
  });

  it("gives a silent connection up, and goes on with another", async () => {
    const items = await readUntil(
      { idleMs: 2_000 },
      (read) => read.filter(({ type }) => type === "opened").length === 2,
    );
    expect(items.map(({ type }) => type)).toEqual(["opened", "closed", "opened"]);
    expect(items.at(-1)).toMatchObject({ isResumed: true });
  });

  it("rests while there is no network, and comes back as soon as there is", async () => {
    const connectivity = new SwitchedConnectivity();
    const backoff = { firstMs: 60_000, maxMs: 60_000 };
    const items = await readUntil({ connectivity, backoff }, (read) => {
      if (read.length === 1) connectivity.turn(false);
      if (read.at(-1)?.type === "closed") setImmediate(() => connectivity.turn(true));
      return read.length === 3;
    });
    expect(items.map(({ type }) => type)).toEqual(["opened", "closed", "opened"]);
  });

  it("begins anew where its cursor is not taken, and throws what trying again does not change", async () => {
    const refusal = { status: 422, body: '{"code":"invalid","detail":"No such cursor"}' };
    server.instead.push(refusal);
    const items = await readUntil({ cursor: "strange" }, (read) => read.at(-1)?.type === "opened");
    expect(items).toMatchObject([{ type: "closed" }, { type: "opened", isResumed: false }]);
    server.instead.push(refusal);
    await expect(readUntil({}, () => false)).rejects.toMatchObject({ name: "ApiError", code: "invalid" });
  });
});
