import { cpuTime } from "@parley/testing/cpu-time.ts";
import { describe, expect, it } from "vitest";
import type { ModelMessage } from "../model.ts";
import { collected } from "../testing/collected.ts";
import { offlineModel, pieces } from "./offline-model.ts";
import { operationCalculator } from "./testing/calculators.ts";
import { converse } from "./testing/converse.ts";
import { crew } from "./testing/crew.ts";
import { ticketTools } from "./testing/ticket-tools.ts";
import { cluster, weather } from "./testing/tool-sets.ts";

describe("the honesty of the offline model", () => {
  it.each(["hello", "Who are you?", "Tell me a joke"])(
    "says what it is and what it can do when told %j",
    async (said) => {
      const { answers, turns } = await converse(weather, [said]);
      expect(turns).toEqual([]);
      for (const part of ["offline model", "get weather", "ANTHROPIC_API_KEY"])
        expect(answers[0]).toContain(part);
    },
  );

  it("says so when it has no tools", async () => {
    expect((await converse([], ["What is the weather?"])).answers[0]).toContain("no tools");
  });

  it("does not calculate by halves what its tools cannot take", async () => {
    expect((await converse(operationCalculator, ["2+2*3"])).turns).toEqual([]);
  });

  it.each(["show pod web-1", "what about the pod web-1?", "pod web-1"])(
    "changes nothing when told %j and all it could do is delete",
    async (said) => {
      const deleting = cluster.filter(({ name }) => name === "delete_pod");
      expect((await converse(deleting, [said])).turns).toEqual([]);
    },
  );

  it("keeps a conversation's turns the same, however often they are asked for", async () => {
    const request = { messages: [{ role: "user" as const, text: "show all tickets" }], tools: ticketTools() };
    const [first, second] = await Promise.all([
      collected(offlineModel(), request),
      collected(offlineModel(), request),
    ]);
    expect(first.events).toEqual(second.events);
  });
});

describe("a turn of the offline model", () => {
  const hello = { messages: [{ role: "user" as const, text: "hello" }] };

  it("comes in pieces like tokens, which join to the whole", async () => {
    const { events, text: whole } = await collected(offlineModel(), hello);
    expect(events.length).toBeGreaterThan(50);
    expect(pieces(whole).join("")).toBe(whole);
  });

  it("thinks aloud when asked to, about what it really decided", async () => {
    const messages = [{ role: "user" as const, text: "show all tickets" }];
    const { thinking } = await collected(offlineModel(), { messages, tools: ticketTools(), thinking: true });
    expect(thinking).toContain("list_tickets");
  });

  it("stops at its limit", async () => {
    const { events, end } = await collected(offlineModel(), { ...hello, maxOutputTokens: 5 });
    expect([events.length, end?.reason]).toEqual([6, "length"]);
  });

  it("keeps to a pace that it is given, and says the same", async () => {
    const [quick, paced] = [offlineModel(), offlineModel(200)];
    const { events } = await collected(quick, hello);
    const started = performance.now();
    expect((await collected(paced, hello)).events).toEqual(events);
    // The first comes at once, and the end with the last.
    expect(performance.now() - started).toBeGreaterThanOrEqual((events.length - 2) * 5 - 5);
  });

  it("stops when it is aborted, also in mid-pause", async () => {
    const controller = new AbortController();
    const request = { system: "", tools: [], ...hello };
    // A pause of minutes.
    const slow = offlineModel(0.005).turn(request, controller.signal)[Symbol.asyncIterator]();
    await slow.next();
    const second = slow.next();
    controller.abort("enough");
    await expect(second).rejects.toBe("enough");
  });

  it("stops when it is aborted", async () => {
    const controller = new AbortController();
    const heard: string[] = [];
    const turn = (async () => {
      const request = { system: "", tools: [], ...hello };
      for await (const event of offlineModel().turn(request, controller.signal)) {
        heard.push(event.type);
        controller.abort("enough");
      }
    })();
    await expect(turn).rejects.toBe("enough");
    expect(heard).toEqual(["text"]);
  });

  it.each([
    ...["\t\n", "1-", "Aa and ", "- a: b\n", "| a | b |\n", "in a ", "show it. "],
    ...[
      " ",
      "A",
      "ae",
      "“",
      "`",
      '"',
      "'",
      "[",
      "\r\n",
      "@",
      "./-",
      "9",
      "=",
      "ticket   ",
      "\ud83d",
      "ß",
      "a,",
    ],
  ])("is not slowed down by %j without end, said or answered", async (shape) => {
    const long = `show tickets in ${shape.repeat(100_000 / shape.length)}`;
    const messages: ModelMessage[] = [
      { role: "user", text: long },
      { role: "assistant", text: long, calls: [] },
      { role: "user", text: long.slice(0, 1_900) },
    ];
    const started = cpuTime();
    const { error } = await collected(offlineModel(), { messages, tools: ticketTools() });
    expect(error).toBeUndefined();
    expect(cpuTime() - started).toBeLessThan(3_000);
  });

  it("takes a long text quickly, and hands it on whole", async () => {
    const long = `Ask the pilot about ships, tides and harbours: ${"the bell, and then the 1+1 anchor. ".repeat(10_000)}`;
    const started = cpuTime();
    const { calls } = await collected(offlineModel(), {
      messages: [{ role: "user", text: long }],
      tools: crew,
    });
    expect(calls).toMatchObject([{ tool: "harbour_pilot", arguments: { message: long.trim() } }]);
    expect(cpuTime() - started).toBeLessThan(10_000);
  });
});
