import { describe, expect, it } from "vitest";
import { operationCalculator } from "./testing/calculators.ts";
import { converse, type WorkingTool } from "./testing/converse.ts";
import { crew, planTool } from "./testing/crew.ts";
import { ticketTools } from "./testing/ticket-tools.ts";
import { integer, text, tool } from "./testing/tool-definition.ts";
import { deliveries, weather } from "./testing/tool-sets.ts";

describe("a request of several steps", () => {
  it("calls what is independent at once", async () => {
    const { turns, answers } = await converse(deliveries, ["list applications and show the version"]);
    expect(turns.map((calls) => calls.map((call) => call.tool))).toEqual([
      ["application_service__list", "version_service__version"],
    ]);
    expect(answers[0]).toContain("| shop | Healthy |");
    expect(answers[0]).toContain("v3.1.4");
  });

  it("waits for a result that the next step needs", async () => {
    const { turns } = await converse(ticketTools(), [
      "Create a ticket called Door squeaks and then assign it to Mira",
    ]);
    expect(turns).toMatchObject([
      [{ tool: "create_ticket", arguments: { title: "Door squeaks" } }],
      [{ tool: "assign_ticket", arguments: { ticket_id: 3, assignee: "Mira" } }],
    ]);
  });

  it("does the same to each of a list", async () => {
    const { turns } = await converse(deliveries, ["first list the applications and then sync each of them"]);
    expect(turns[1]).toMatchObject([{ arguments: { name: "shop" } }, { arguments: { name: "blog" } }]);
  });

  it("asks about several places at once, and shows them side by side", async () => {
    const { turns, answers } = await converse(weather, ["How is the weather in Lund and New York?"]);
    expect(turns).toMatchObject([[{ arguments: { city: "Lund" } }, { arguments: { city: "New York" } }]]);
    expect(answers[0]).toContain("| New York | 3 | clear |");
  });

  it("counts on from numbers that it has just found", async () => {
    const { answers } = await converse(operationCalculator, ["Compute 2+2 and 3+3, then add them"]);
    expect(answers[0]).toMatch(/The result is 10\.$/);
  });

  it("says what failed and what it therefore left (S2.13)", async () => {
    const { turns, answers } = await converse(ticketTools(), [
      "close ticket 99 and then assign it to Bo. Also show ticket 1",
    ]);
    expect(
      turns
        .flat()
        .map((call) => call.tool)
        .sort(),
    ).toEqual(["close_ticket", "get_ticket"]);
    expect(answers[0]).toContain("close ticket failed: there is no ticket 99");
    expect(answers[0]).toMatch(/did not go on with “assign it to Bo\./);
    expect(answers[0]).toContain("Printer on fire");
  });

  it("writes its plan first where there is a tool for it, and then does it (S0.4)", async () => {
    const said = "Ask the pilot about the tides in Kiel and then let the cook plan a meal";
    const { turns } = await converse([planTool, ...crew], [said]);
    expect(turns).toMatchObject([
      [
        {
          tool: "write_plan",
          arguments: {
            steps: [
              {
                id: "step-1",
                title: "Ask the pilot about the tides in Kiel",
                agent: "harbour_pilot",
                dependencies: [],
              },
              {
                id: "step-2",
                title: "let the cook plan a meal",
                agent: "galley_cook",
                dependencies: ["step-1"],
              },
            ],
          },
        },
      ],
      [{ tool: "harbour_pilot" }],
      [{ tool: "galley_cook" }],
    ]);
    expect(turns[2]?.[0]?.arguments?.message).toContain("The pilot heard 37 characters.");
  });

  it("goes over agents that are offline models themselves, and what one found reaches the next (S0.1)", async () => {
    const tracker = ticketTools();
    const agent = (name: string, description: string, tools: readonly WorkingTool[]) =>
      tool(
        name,
        description,
        { message: text },
        {
          run: ({ message }) => converse(tools, [String(message)]).then(({ answers }) => answers.join()),
        },
      );
    const offered = [
      planTool,
      agent("secretary", "An agent that creates and lists tickets.", tracker.slice(0, 3)),
      agent("foreman", "An agent that assigns work to people.", tracker.slice(3)),
    ];
    const { turns, answers } = await converse(offered, [
      "Let the secretary create a ticket called Door squeaks and then let the foreman assign it to Mira",
    ]);
    expect(turns.flat().map((call) => call.tool)).toEqual(["write_plan", "secretary", "foreman"]);
    expect(answers[0]).toMatch(/assignee: Mira/);
  });

  it("fills another plan tool by its own schema, and goes on when it fails", async () => {
    const steps = {
      type: "array",
      items: {
        type: "object",
        properties: {
          number: integer,
          description: text,
          tool: { ...text, enum: crew.map(({ name }) => name) },
          depends_on: { type: "array", items: integer },
          state: { ...text, enum: ["pending", "done"] },
        },
        required: ["number", "description", "state"],
      },
    };
    const failing = tool(
      "note_steps",
      "Notes steps.",
      { goal: text, steps },
      {
        run: () => {
          throw new Error("no paper");
        },
      },
    );
    const { turns, answers } = await converse([failing, ...crew], ["Which ships are in the harbour?"]);
    expect(turns[0]).toMatchObject([
      {
        arguments: {
          goal: "Which ships are in the harbour?",
          steps: [{ number: 1, tool: "harbour_pilot", depends_on: [], state: "pending" }],
        },
      },
    ]);
    expect(answers[0]).toContain("The pilot heard");
  });
});
