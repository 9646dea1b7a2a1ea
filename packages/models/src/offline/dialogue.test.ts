import { describe, expect, it } from "vitest";
import type { ModelMessage } from "../model.ts";
import { collected } from "../testing/collected.ts";
import { offlineModel } from "./offline-model.ts";
import { choiceCalculator, expressionCalculator, operationCalculator } from "./testing/calculators.ts";
import { converse } from "./testing/converse.ts";
import { planTool } from "./testing/crew.ts";
import { ticketTools } from "./testing/ticket-tools.ts";
import { tool } from "./testing/tool-definition.ts";
import { deliveries, weather } from "./testing/tool-sets.ts";

describe("a dialogue with the offline model", () => {
  it.each([
    ["one expression", expressionCalculator],
    ["a tool for each operation", operationCalculator],
    ["a list and a choice", choiceCalculator],
  ])("adds up what it found before, with a calculator that takes %s (S1.20)", async (_, tools) => {
    const { answers } = await converse(tools, ["What's 2+2?", "What about 3+3?", "Add them together"]);
    const numbers = answers.map((answer) => answer.match(/(?<!\d)\d+(?=\.?$)/)?.[0]);
    expect(numbers).toEqual(["4", "6", "10"]);
  });

  it("tells a text whole, whatever facts are in it", async () => {
    const notes = "# Meeting\n\nPresent: Ada\n\n- Returns are free.\n- Ada: write it down";
    const read = tool("read_notes", "Reads the notes of a meeting", {}, { run: () => notes });
    expect((await converse([read], ["read the notes of the meeting"])).answers).toEqual([notes]);
  });

  it("does not name the files that the user has been given, unless there is nothing else to say", async () => {
    const note = "[given to the user as a file: chart.svg, image/svg+xml, 900 bytes]";
    const draw = (said: string) => tool("draw_chart", "Draws a chart", {}, { run: () => said });
    expect((await converse([draw(`Here it is.\n${note}`)], ["draw a chart"])).answers).toEqual([
      "Here it is.",
    ]);
    expect((await converse([draw(note)], ["draw a chart"])).answers).toEqual([note]);
  });

  it("remembers numbers from words alone, as a context keeps them (S1.20)", async () => {
    const messages: ModelMessage[] = [
      { role: "user", text: "How much is 20+1?" },
      { role: "assistant", text: "20+1 = 21", calls: [] },
      { role: "user", text: "And 5+4?" },
      { role: "assistant", text: "5+4 = 9", calls: [] },
      { role: "user", text: "Now multiply them" },
    ];
    const { calls } = await collected(offlineModel(), { messages, tools: expressionCalculator });
    expect(calls).toMatchObject([{ arguments: { expression: "21 * 9" } }]);
  });

  it("goes on from its last result, in whatever form the tool gave it", async () => {
    const { answers } = await converse(operationCalculator, [
      "2+3",
      "multiply it by 4",
      "subtract 1 from that",
      "divide it by 0",
    ]);
    expect(answers).toEqual([
      "The result is 5.",
      "The product is 20",
      "The result is 19.",
      "divide failed: division by zero",
    ]);
  });

  it("tells how a call went whose tool is gone since, as it is when its program died of it", async () => {
    const call = { id: "call_1_step_1", tool: "shop__list_deliveries", arguments: {}, text: "{}" };
    const text = "The connection was lost while list_deliveries ran (it was ended by SIGKILL).";
    const messages: ModelMessage[] = [
      { role: "user", text: "List the deliveries" },
      { role: "assistant", text: "", calls: [call] },
      { role: "tool", outcomes: [{ id: call.id, tool: call.tool, failed: true, text }] },
    ];
    const { text: answer } = await collected(offlineModel(), { messages, tools: [] });
    expect(answer).toBe(`shop list deliveries failed: ${text}`);
  });

  it("understands a question that leaves out what was said before", async () => {
    const { turns } = await converse(weather, [
      "What's the weather in Paris?",
      "And in Rome?",
      "what about oslo",
      "again",
    ]);
    const asked = turns.flat().map((call) => [call.tool, call.arguments?.city]);
    expect(asked).toEqual(["Paris", "Rome", "oslo", "oslo"].map((city) => ["get_weather", city]));
  });

  it("knows what “it” is by the result before", async () => {
    const { turns } = await converse(ticketTools(), ["show ticket 2", "close it"]);
    expect(turns.flat().map((call) => [call.tool, call.arguments])).toEqual([
      ["get_ticket", { ticket_id: 2 }],
      ["close_ticket", { ticket_id: 2 }],
    ]);
  });

  it("remembers by words alone what was asked for and found, as a context keeps it", async () => {
    const said = (first: string, answer: string, second: string): ModelMessage[] => [
      { role: "user", text: first },
      { role: "assistant", text: answer, calls: [] },
      { role: "user", text: second },
    ];
    const place = {
      messages: said("What's the weather in Paris?", "Sunny.", "And in Rome?"),
      tools: weather,
    };
    expect((await collected(offlineModel(), place)).calls).toMatchObject([
      { tool: "get_weather", arguments: { city: "Rome" } },
    ]);
    const ticket = {
      messages: said("show ticket 2", "- id: 2\n- state: open", "close it"),
      tools: ticketTools(),
    };
    expect((await collected(offlineModel(), ticket)).calls).toMatchObject([
      { tool: "close_ticket", arguments: { ticket_id: 2 } },
    ]);
  });

  it("takes nothing from its plan for a result", async () => {
    const { answers } = await converse([planTool, ...deliveries], ["sync it with the application source"]);
    expect(answers[0]).toMatch(/name.*\?$/);
  });

  it("asks for what is missing, and takes the answer", async () => {
    const { answers, turns } = await converse(ticketTools(), ["open a new ticket", "Window stuck"]);
    expect(answers[0]).toMatch(/title.*\?$/);
    expect(turns.flat()).toMatchObject([{ tool: "create_ticket", arguments: { title: "Window stuck" } }]);
  });

  it("asks again for what is still missing", async () => {
    const { answers, turns } = await converse(weather, ["I want a forecast", "Lund", "3"]);
    expect(answers.slice(0, 2)).toEqual([expect.stringContaining("city"), expect.stringContaining("days")]);
    expect(turns.flat()).toMatchObject([{ arguments: { city: "Lund", days: 3 } }]);
  });

  it.each(["never mind", "show all tickets"])("lets a question be when the user says %j", async (reply) => {
    const { turns } = await converse(ticketTools(), ["open a new ticket", reply]);
    expect(turns.flat().filter((call) => call.tool === "create_ticket")).toEqual([]);
  });

  it("asks which tool is meant when words do not decide, and takes the answer", async () => {
    const doors = ["front", "back"].map((side) => tool(`lock_${side}_door`, `Locks the ${side} door.`, {}));
    const { answers, turns } = await converse(doors, ["lock the door", "the back one"]);
    expect(answers[0]).toMatch(/lock front door.*lock back door.*\?$/s);
    expect(turns.flat()).toMatchObject([{ tool: "lock_back_door" }]);
  });
});
