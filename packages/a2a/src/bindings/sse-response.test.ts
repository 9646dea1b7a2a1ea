import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { SseResponse, sseFrame } from "./sse-response.ts";

/** Opens a stream over real HTTP; both ends of it. */
async function openStream(): Promise<{ sse: SseResponse; reader: IncomingMessage }> {
  const { promise: opened, resolve } = Promise.withResolvers<SseResponse>();
  const server = createServer((_, response) => resolve(new SseResponse(response)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const call = get({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  const [reader] = (await once(call, "response")) as [IncomingMessage];
  return { sse: await opened, reader: reader.setEncoding("utf8") };
}

it("SseResponse sends a comment every 15 seconds while a stream is idle, and none after its end", async () => {
  // Only the clock of the comments: the connection goes by the real one.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { sse, reader } = await openStream();
  let text = "";
  reader.on("data", (piece: string) => {
    text += piece;
  });
  vi.advanceTimersByTime(14_999);
  await sse.write(sseFrame("{}", { id: 7 }));
  vi.advanceTimersByTime(1);
  vi.advanceTimersByTime(15_000);
  sse.end();
  vi.advanceTimersByTime(60_000);
  await once(reader, "end");
  expect(text).toBe("id: 7\ndata: {}\n\n:\n\n:\n\n");
  expect(reader.headers).toMatchObject({ "content-type": "text/event-stream", "cache-control": "no-cache" });
});

describe("sseFrame", () => {
  it("writes event, id and data in this order", () => {
    expect(sseFrame("{}", { id: "7", event: "error" })).toBe("event: error\nid: 7\ndata: {}\n\n");
  });

  it.each([
    ["one\ntwo", "one\ntwo"],
    ["one\r\ntwo\rthree\n", "one\ntwo\nthree\n"],
    ["\n\nid: 9\n\ndata: forged", "\n\nid: 9\n\ndata: forged"],
    ["", ""],
  ])("keeps the lines of %j in one event", (data, received) => {
    const events: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (event) => events.push(event) });
    parser.feed(sseFrame(data, { id: 7 }));
    expect(events).toEqual([{ id: "7", event: undefined, data: received }]);
  });
});
