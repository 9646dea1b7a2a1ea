import { EventEmitter, once } from "node:events";
import type { StreamResponse } from "@parley/a2a";
import { compatibleWire } from "@parley/models/testing/compatible-wire.ts";
import { atOnce } from "@parley/models/testing/provider-server.ts";
import { expect, it } from "vitest";
import { agentAtWork } from "./testing/agent-at-work.ts";
import { joinedText } from "./testing/seen-stream.ts";

const tokens = Array.from({ length: 200 }, (_, n) => `token ${n} `);
const pieces = (events: readonly object[]) => events.filter((event) => "artifactUpdate" in event).length;

it("under load chunks are joined before they are recorded, and the text is the same (S2.20, invariant 9)", async () => {
  const burst = atOnce(compatibleWire.frames({ text: tokens, end: "stop" }));
  const { agent } = await agentAtWork([burst], { coalesce: true, tools: false });
  const streams = await Promise.all(Array.from({ length: 30 }, () => agent.streamed("go")));
  for (const events of streams) expect(joinedText(events)).toEqual({ current_result: tokens.join("") });
  const most = Math.max(...streams.map(pieces));
  expect(most).toBeLessThan(tokens.length / 2);
});

it("while it is quiet each chunk is an event of its own (S2.20)", async () => {
  const few = tokens.slice(0, 10);
  const [head = "", first = "", ...frames] = compatibleWire.frames({ text: few, end: "stop" });
  const seen = new EventEmitter();
  const { agent } = await agentAtWork(
    [
      async (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write(head + first);
        for (const frame of frames.slice(0, few.length - 1)) {
          await once(seen, "piece");
          response.write(frame);
        }
        response.end(frames.slice(few.length - 1).join(""));
      },
    ],
    { coalesce: true, tools: false },
  );
  const events: StreamResponse[] = [];
  for await (const event of agent.stream("go")) {
    events.push(event);
    if ("artifactUpdate" in event) seen.emit("piece");
  }
  const texts = events.flatMap((event) =>
    "artifactUpdate" in event ? (event.artifactUpdate?.artifact.parts.map(({ text }) => text) ?? []) : [],
  );
  expect(texts.slice(0, few.length - 1)).toEqual(few.slice(0, -1));
  expect(texts.join("")).toBe(few.join(""));
});
