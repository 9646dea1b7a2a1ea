import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { compatibleWire } from "../models/testing/compatible-wire.ts";
import { agentAtWork } from "./testing/agent-at-work.ts";
import { joinedText } from "./testing/seen-stream.ts";

const tokens = Array.from({ length: 200 }, (_, n) => `token ${n} `);
const pieces = (events: readonly object[]) => events.filter((event) => "artifactUpdate" in event).length;

it("under load chunks are joined before they are recorded, and the text is the same (S2.20, invariant 9)", async () => {
  const { agent } = await agentAtWork([{ text: tokens }], { coalesce: true, tools: false });
  const streams = await Promise.all(Array.from({ length: 30 }, () => agent.streamed("go")));
  for (const events of streams) expect(joinedText(events)).toEqual({ current_result: tokens.join("") });
  const most = Math.max(...streams.map(pieces));
  expect(most).toBeLessThan(tokens.length / 2);
});

it("while it is quiet each chunk is an event of its own (S2.20)", async () => {
  const frames = compatibleWire.frames({ text: tokens.slice(0, 10), end: "stop" });
  const { agent } = await agentAtWork(
    [
      async (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const frame of frames) {
          response.write(frame);
          await pause(60);
        }
        response.end();
      },
    ],
    { coalesce: true, tools: false },
  );
  const events = await agent.streamed("go");
  // Ten chunks, and the empty one that closes them.
  expect(pieces(events)).toBe(11);
});
