import { describe, expect, it } from "vitest";
import type { ModelMessage } from "../models/model.ts";
import { collected } from "../models/testing/collected.ts";
import { offlineModel, pieces } from "./offline-model.ts";
import { choiceCalculator, expressionCalculator, operationCalculator } from "./testing/calculators.ts";
import { converse, type WorkingTool } from "./testing/converse.ts";
import { crew, planTool } from "./testing/crew.ts";
import { ticketTools } from "./testing/ticket-tools.ts";
import { integer, text, tool } from "./testing/tool-definition.ts";
import {
  calendar,
  cluster,
  deliveries,
  files,
  knowledge,
  mail,
  repository,
  units,
  weather,
} from "./testing/tool-sets.ts";

async function firstCalls(tools: readonly WorkingTool[], ...said: string[]) {
  const { turns } = await converse(tools, said);
  return (turns[0] ?? []).map((call) => [call.tool, call.arguments]);
}

describe("the offline model finds the tool and its arguments", () => {
  it.each(
    (
      [
        [repository, "show the history", "git_log", {}],
        [repository, "show me the log of branch main", "git_log", { branch: "main" }],
        [repository, "what changed between v1.0 and v1.1?", "git_diff", { base: "v1.0", head: "v1.1" }],
        [
          repository,
          "create a branch called feature/login from main",
          "git_create_branch",
          { branch_name: "feature/login", from: "main" },
        ],
        [
          repository,
          'commit everything with message "Fix the door"',
          "git_commit",
          { message: "Fix the door" },
        ],
        [repository, "checkout main", "git_checkout", { branch: "main" }],
        [
          mail,
          'send an email to ann@example.org with subject "Hello" and body "See you"',
          "sendEmail",
          { to: "ann@example.org", subject: "Hello", body: "See you" },
        ],
        [mail, "list unread mails", "listInbox", { unreadOnly: true }],
        [mail, "any mails since 3 March 2026?", "listInbox", { since: "2026-03-03" }],
        [
          calendar,
          "schedule a meeting called Retro on 2026-05-01 with Ann, Bo and Cy for 30 minutes",
          "schedule_meeting",
          { title: "Retro", date: "2026-05-01", attendees: ["Ann", "Bo", "Cy"], duration_minutes: 30 },
        ],
        [calendar, "list meetings on May 1st, 2026", "list_meetings", { date: "2026-05-01" }],
        [
          cluster,
          "scale deployment web to 3 replicas in namespace prod",
          "scale_deployment",
          { deployment: "web", replicas: 3, namespace: "prod" },
        ],
        [cluster, "list pods in kube-system", "get_pods", { namespace: "kube-system" }],
        [cluster, "what pods are there?", "get_pods", {}],
        [cluster, "show the logs of pod web-7f9c", "get_logs", { pod: "web-7f9c" }],
        [cluster, "please restart the web deployment", "restart_deployment", { deployment: "web" }],
        [knowledge, "search the docs for retry policy", "search_docs", { query: "retry policy" }],
        [knowledge, "Please look up webhooks in the documentation", "search_docs", { query: "webhooks" }],
        [
          knowledge,
          "how many vacation days does the handbook give?",
          "handbook_expert",
          { query: "how many vacation days does the handbook give?" },
        ],
        [files, "read ./notes/today.md", "read_file", { path: "./notes/today.md" }],
        [
          files,
          'search for "launch code" in the directory /srv/docs',
          "search_files",
          { query: "launch code", directory: "/srv/docs" },
        ],
        [files, "delete /tmp/x.log without force", "delete_file", { path: "/tmp/x.log", force: false }],
        [units, "convert 10 km to miles", "convertUnits", { value: 10, fromUnit: "km", toUnit: "miles" }],
        [units, "how many feet are 3 m?", "convertUnits", { value: 3, fromUnit: "m", toUnit: "feet" }],
        [weather, "forecast for Rome, 3 days", "get_forecast", { city: "Rome", days: 3 }],
        [deliveries, "which version does the server run?", "version_service__version", {}],
        [deliveries, "sync application shop", "application_service__sync", { name: "shop" }],
        [ticketTools(), "show all tickets", "list_tickets", {}],
        [ticketTools(), "show ticket 2", "get_ticket", { ticket_id: 2 }],
        [
          ticketTools(),
          "I need a new ticket titled Door squeaks, high priority",
          "create_ticket",
          { title: "Door squeaks", priority: "high" },
        ],
        [crew, "When is high tide?", "harbour_pilot", { message: "When is high tide?" }],
      ] as const
    ).map(([tools, said, name, args]) => ({ said, tools, name, args })),
  )("$said", async ({ tools, said, name, args }) => {
    expect(await firstCalls(tools, said)).toEqual([[name, args]]);
  });
});

describe("a dialogue with the offline model", () => {
  it.each([
    ["one expression", expressionCalculator],
    ["a tool for each operation", operationCalculator],
    ["a list and a choice", choiceCalculator],
  ])("adds up what it found before, with a calculator that takes %s (S1.20)", async (_, tools) => {
    const { answers } = await converse(tools, ["What's 2+2?", "What about 3+3?", "Add them together"]);
    const numbers = answers.map((answer) => answer.match(/\d+(?=\.?$)/)?.[0]);
    expect(numbers).toEqual(["4", "6", "10"]);
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

  it("takes a long text quickly, and hands it on whole", async () => {
    const long = `Ask the pilot about ships, tides and harbours: ${"the bell, and then the 1+1 anchor. ".repeat(10_000)}`;
    const started = performance.now();
    const { calls } = await collected(offlineModel(), {
      messages: [{ role: "user", text: long }],
      tools: crew,
    });
    expect(calls).toMatchObject([{ tool: "harbour_pilot", arguments: { message: long.trim() } }]);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
