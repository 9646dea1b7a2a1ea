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

it("joins what is said within one turn of the event loop, and only that, in its order (S2.20)", async () => {
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

it("tells all that was said before the speaker failed, and then how", async () => {
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

it("lets a speaker that is far ahead wait for its listener", async () => {
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
