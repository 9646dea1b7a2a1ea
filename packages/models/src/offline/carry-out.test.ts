import { describe, expect, it } from "vitest";
import type { ModelMessage, ToolCall } from "../model.ts";
import { collected } from "../testing/collected.ts";
import { offlineModel } from "./offline-model.ts";
import { expressionCalculator } from "./testing/calculators.ts";
import { converse } from "./testing/converse.ts";
import { agent, carryOutPlan, offlineAgent, type PlanStep } from "./testing/supervised.ts";
import { ticketTools } from "./testing/ticket-tools.ts";
import { weather } from "./testing/tool-sets.ts";

const sums = offlineAgent("sums", "Calculates arithmetic expressions.", () => expressionCalculator);
const sky = offlineAgent("sky", "Knows the weather of cities, and forecasts.", () => weather);
const desk = offlineAgent("desk", "Creates, lists and closes tickets.", ticketTools);
const broken = agent("broken", "Prints posters.", () => {
  throw new Error("out of paper");
});
const agents = [sums, sky, desk, broken];
const supervised = [...agents, carryOutPlan(agents)];

function stepsIn(call: ToolCall | undefined): readonly PlanStep[] {
  return (call?.arguments?.steps ?? []) as PlanStep[];
}

describe("with a tool that carries out plans, the offline model", () => {
  it("calls just that, with all that the agent needs, and answers from its outcome (S0.4)", async () => {
    const { turns, answers } = await converse(supervised, ["What's the weather in Lund?"]);
    const request = "What's the weather in Lund?";
    const step = { id: "step-1", title: request, agent: "sky", request, dependencies: [] };
    expect(turns).toMatchObject([[{ tool: "carry_out_plan", arguments: { steps: [step] } }]]);
    expect(answers[0]).toContain("- degrees: 7");
  });

  it("lets steps run side by side, or after one another where that was said (S0.1)", async () => {
    const beside = await converse(supervised, ["weather in Lund and list the tickets"]);
    expect(beside.turns.flat().map(stepsIn)).toMatchObject([
      [
        { agent: "sky", dependencies: [] },
        { agent: "desk", dependencies: [] },
      ],
    ]);
    for (const part of ["degrees: 7", "Printer on fire"]) expect(beside.answers[0]).toContain(part);
    const after = await converse(supervised, ["first list the tickets, then add 2 and 3"]);
    expect(after.turns.flat().map(stepsIn)).toMatchObject([
      [
        { agent: "desk", request: "list the tickets", dependencies: [] },
        { agent: "sums", request: "add 2 and 3", dependencies: ["step-1"] },
      ],
    ]);
    expect(after.answers[0]).toContain("2 + 3 = 5");
  });

  it("hands results on within a plan", async () => {
    const { turns, answers } = await converse(supervised, ["Compute 2+2 and compute 3+3, then add them"]);
    expect(turns).toHaveLength(1);
    expect(answers[0]).toContain("4 + 6 = 10");
  });

  it("names what failed and what was therefore left out (S2.13)", async () => {
    const { turns, answers } = await converse(supervised, [
      "print a poster and then create a ticket called Hang it up. Also list the tickets",
    ]);
    expect(turns).toHaveLength(1);
    expect(answers[0]).toContain("broken failed: out of paper");
    expect(answers[0]).toMatch(/did not go on with “create a ticket called Hang it up/);
    expect(answers[0]).toContain("Printer on fire");
  });

  it.each([
    ["that failed", true, "no agent is there", "carry out plan failed: no agent is there"],
    ["that says something else", false, "All done.", "All done."],
    ["with a step canceled", false, outcome("canceled", ""), "sky failed: it was canceled."],
    ["with a step left out", false, outcome("skipped", "no time was left"), "“Weather”: no time was left"],
  ])("answers from a plan %s, and calls nothing again", async (_, failed, text, expected) => {
    const steps = [{ id: "a", title: "Weather", agent: "sky", request: "weather in Lund", dependencies: [] }];
    const call = { id: "foreign", tool: "carry_out_plan", arguments: { steps }, text: "" };
    const messages: ModelMessage[] = [
      { role: "user", text: "weather in Lund" },
      { role: "assistant", text: "", calls: [call] },
      { role: "tool", outcomes: [{ id: "foreign", tool: "carry_out_plan", failed, text }] },
    ];
    const turn = await collected(offlineModel(), { messages, tools: supervised });
    expect(turn.calls).toEqual([]);
    expect(turn.text).toContain(expected);
  });

  it.each(["hello", "What can you do?", "Who are you?", "thanks!"])("needs no plan for %j", async (said) => {
    const { turns, answers } = await converse(supervised, [said]);
    expect(turns).toEqual([]);
    expect(answers[0]).toContain("**sky**: Knows the weather");
  });

  it.each([
    "[notes.txt, text/plain, 40 bytes]",
    "[print a poster.csv, text/csv, 2000 bytes]\n[ticket list.md, text/markdown, 7 bytes]",
    "[a.png: http://localhost/a.png]",
    "[a.png, image/png, 9 bytes]\n[list.md, text/markdown, 30 bytes]:\n````\nprint a poster\n```\nadd 2 and 3\n````",
  ])("goes by the words of the question, not by the files that come with it: %j", async (files) => {
    const { turns } = await converse(supervised, [`show the weather in Lund\n${files}`]);
    const plans = turns.map(([call]) => stepsIn(call).map((step) => [step.agent, step.request]));
    expect(plans).toEqual([[["sky", "show the weather in Lund"]]]);
  });

  it("says so when no agent fits, and what they can do", async () => {
    const { turns, answers } = await converse(supervised, ["Sing a lullaby"]);
    expect(turns).toEqual([]);
    for (const part of ["no agent that fits", "**desk**", "**sums**"]) expect(answers[0]).toContain(part);
    expect(answers[0]).not.toContain("carry out plan");
  });

  it("asks which of two agents is meant, does the rest meanwhile, and takes the answer", async () => {
    const doors = ["front", "back"].map((side) =>
      agent(side, `Guards the ${side} door.`, () => `${side} shut`),
    );
    const all = [...doors, sky];
    const { turns, answers } = await converse(
      [...all, carryOutPlan(all)],
      ["shut the door and show the weather in Lund", "the back one"],
    );
    const plans = turns.map(([call]) => stepsIn(call).map((step) => [step.agent, step.request]));
    expect(plans).toEqual([[["sky", "show the weather in Lund"]], [["back", "shut the door"]]]);
    expect(answers[0]).toMatch(/degrees: 7.*front.*back.*\?$/s);
    expect(answers[1]).toContain("back shut");
  });

  it("remembers what plans came to, and tells it to agents that saw nothing of it (S1.20)", async () => {
    const { answers } = await converse(supervised, ["What's 2+2?", "What about 3+3?", "Add them together"]);
    expect(answers).toEqual(["2+2 = 4", "3+3 = 6", "4 + 6 = 10"]);
  });

  it("remembers by words alone, as a context keeps them (S1.20)", async () => {
    const messages: ModelMessage[] = [
      { role: "user", text: "What's 2+2?" },
      { role: "assistant", text: "2+2 = 4", calls: [] },
      { role: "user", text: "What about 3+3?" },
      { role: "assistant", text: "3+3 = 6", calls: [] },
      { role: "user", text: "Add them together" },
    ];
    const { calls } = await collected(offlineModel(), { messages, tools: supervised });
    const [step] = stepsIn(calls[0]);
    expect(step).toMatchObject({ title: "Add them together", agent: "sums" });
    expect(await sums.run({ request: step?.request })).toBe("4 + 6 = 10");
  });

  it("lets an agent understand a question that leaves out what was said before", async () => {
    const { answers, turns } = await converse(supervised, [
      "What's the weather in Paris?",
      "And in Rome?",
      "again",
      "show ticket 2",
      "close it",
    ]);
    expect(
      turns
        .flat()
        .flatMap(stepsIn)
        .map((step) => step.agent),
    ).toEqual(["sky", "sky", "sky", "desk", "desk"]);
    expect(answers.slice(1, 3)).toEqual([expect.stringContaining("Rome"), expect.stringContaining("Rome")]);
    expect(answers[4]).toMatch(/closed/);
  });

  it("writes its plan piece by piece before it is carried out (S0.4)", async () => {
    const messages = [{ role: "user" as const, text: "What's the weather in Lund?" }];
    const { events, calls } = await collected(offlineModel(), { messages, tools: supervised });
    const written = events.flatMap((event) => (event.type === "tool-input" ? [event.text] : []));
    expect(written.length).toBeGreaterThan(10);
    expect(written.join("")).toBe(calls[0]?.text);
    expect(events.findIndex(({ type }) => type === "tool-call")).toBe(written.length);
  });

  it("gives a long request to the agent whole, under a short title", async () => {
    const said = `list the tickets ${"that are about doors and windows ".repeat(10)}`.trim();
    const { turns } = await converse(supervised, [said]);
    const [step] = stepsIn(turns[0]?.[0]);
    expect(step?.request).toBe(said);
    expect(step?.title.length).toBeLessThanOrEqual(80);
    expect(step?.title).toMatch(/^list the tickets .*…$/);
  });
});

function outcome(state: string, result: string): string {
  return JSON.stringify({ steps: [{ id: "a", agent: "sky", state, result }] });
}
