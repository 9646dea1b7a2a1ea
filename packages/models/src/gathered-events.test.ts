import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { gatheredEvents } from "./gathered-events.ts";
import type { ModelEvent } from "./model.ts";

const text = (said: string): ModelEvent => ({ type: "text", text: said });
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await setImmediate();
};

async function heard(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

it("gatheredEvents joins the text of one event-loop turn, and only that, in order (S2.20)", async () => {
  const events = gatheredEvents(async (hear) => {
    hear(text("a"));
    hear(text("b"));
    hear({ type: "thinking", text: "c" });
    hear(text("d"));
    await turns(5);
    hear(text("e"));
    hear({ type: "tool-input", id: "1", tool: "t", text: "f" });
    hear({ type: "tool-input", id: "1", tool: "t", text: "g" });
    hear({ type: "tool-input", id: "2", tool: "t", text: "h" });
  });
  expect(await heard(events)).toEqual([
    text("ab"),
    { type: "thinking", text: "c" },
    text("d"),
    text("e"),
    { type: "tool-input", id: "1", tool: "t", text: "fg" },
    { type: "tool-input", id: "2", tool: "t", text: "h" },
  ]);
});

it("gatheredEvents yields all events before a failure, and then the failure", async () => {
  const said: ModelEvent[] = [];
  const listening = (async () => {
    const events = gatheredEvents(async (hear) => {
      hear(text("half "));
      throw new Error("gone");
    });
    for await (const event of events) said.push(event);
  })();
  await expect(listening).rejects.toThrow("gone");
  expect(said).toEqual([text("half ")]);
});

it("gatheredEvents applies backpressure to a producer that is far ahead", async () => {
  let pieces = 0;
  const events = gatheredEvents(async (hear) => {
    for (; pieces < 100; pieces++) await hear(text("x".repeat(10_000)));
  });
  await events.next();
  await turns(10);
  expect(pieces).toBeLessThan(20);
  const rest = await heard(events);
  expect(pieces).toBe(100);
  expect(rest.length).toBeGreaterThan(5);
});
