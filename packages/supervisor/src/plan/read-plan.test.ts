import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planTool } from "./plan-tool.ts";
import { readPlan } from "./read-plan.ts";
import { AGENTS, choices, jsonText, planArguments } from "./testing/written-plans.ts";

const agents = ["argocd", "git"];
const full = { id: "a", title: "Version", agent: "argocd", request: "Which version?", dependencies: [] };
const named = (id: unknown, ...dependencies: unknown[]) => ({ ...full, id, dependencies });

describe("planTool", () => {
  it("offers the known agents and at most 50 steps (+6)", () => {
    const tool = planTool([
      { name: "argocd", description: "Runs\napplications" },
      { name: "git", description: "Knows repositories" },
    ]);
    expect(tool.name).toBe("carry_out_plan");
    expect(tool.inputSchema).toMatchObject({
      properties: {
        steps: {
          minItems: 1,
          maxItems: 50,
          items: {
            required: ["id", "title", "agent", "request", "dependencies"],
            properties: {
              agent: { enum: agents, description: expect.stringContaining("argocd: Runs applications") },
            },
          },
        },
      },
    });
  });
});

describe("readPlan", () => {
  it("returns a complete plan as it stands (+6)", () => {
    const steps = [full, { ...full, id: "b", agent: "git", dependencies: ["a"] }];
    expect(readPlan({ steps }, agents)).toEqual({ steps });
  });

  it.each([
    [
      "missing dependencies and ids",
      { title: "T", agent: "git", request: "R" },
      { id: "1", dependencies: [] },
    ],
    ["null for what is missing", { ...full, id: null, dependencies: null }, { id: "1", dependencies: [] }],
    ["a number as id", { ...full, id: 7 }, { id: "7" }],
    ["an empty request", { ...full, request: " " }, { request: "Version" }],
    ["no request", { ...full, request: undefined }, { request: "Version" }],
    ["a title of several lines", { ...full, title: " One\n ⟦two⟧ " }, { title: "One [two]" }],
    ["no title", { ...full, title: "" }, { title: "Which version?" }],
    [
      "no title and a long request",
      { ...full, title: null, request: "word ".repeat(40) },
      { title: `${"word ".repeat(16).trim()}…` },
    ],
    ["members that nobody asked for", { ...full, state: "pending" }, full],
  ])("accepts %s", (_, written, step) => {
    expect(readPlan({ steps: [written] }, agents)).toMatchObject({ steps: [step] });
  });

  it("accepts dependencies that are numbers, repeated, or later steps", () => {
    const plan = readPlan({ steps: [named("1", 2, "2", 2), named(2)] }, agents);
    expect(plan).toMatchObject({ steps: [{ dependencies: ["2"] }, { id: "2" }] });
  });

  it("accepts its list as JSON text", () => {
    expect(readPlan({ steps: JSON.stringify([full]) }, agents)).toEqual({ steps: [full] });
  });

  it.each([
    ["no JSON", undefined, /must be an object such as \{"steps"/],
    ["no list", { steps: "first this, then that" }, /must be an object/],
    ["no step", { steps: [] }, /is empty/],
    ["51 steps", { steps: Array.from({ length: 51 }, (_, n) => named(n)) }, /has 51 steps: 50 is the most/],
    [
      "an unknown agent",
      { steps: [{ ...full, agent: "jira" }] },
      /no agent "jira"\. The agents are: argocd, git\./,
    ],
    ["no agent", { steps: [{ title: "T" }] }, /Step 1 is not well formed \(agent: /],
    ["a step that is none", { steps: [full, "and then"] }, /Step 2 is not well formed/],
    ["an endless id", { steps: [named("a".repeat(101))] }, /Step 1 is not well formed \(id: /],
    ["an endless title", { steps: [{ ...full, title: "t".repeat(301) }] }, /\(title: /],
    ["nothing to do", { steps: [{ agent: "git" }] }, /Step 1 has neither a title nor a request/],
    ["one id twice", { steps: [named("a"), named("a")] }, /id "a" is used twice/],
    ["an unknown dependency", { steps: [named("a", "z")] }, /"a" depends on "z", which is no step/],
    ["a step that waits for itself", { steps: [named("a", "a")] }, /wait for each other: "a" → "a"\./],
    [
      "a cycle",
      { steps: [named("a"), named("b", "a", "d"), named("c", "b"), named("d", "c"), named("e", "d")] },
      /: "b" → "d" → "c" → "b"\./,
    ],
  ])("says what is wrong with %s", (_, written, problem) => {
    expect(readPlan(written, agents)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it("reports all problems at once, in a bounded text", () => {
    const steps = [
      { ...named("a", "y"), agent: "jira" },
      ...Array.from({ length: 40 }, () => named("a".repeat(99))),
    ];
    const { problem } = readPlan({ steps }, agents) as { problem: string };
    expect(problem).toMatch(/no agent "jira".*depends on "y".*used twice/s);
    expect(problem.length).toBeLessThan(2_000);
  });

  it("never throws, whatever the arguments are", () => {
    const steps = fc.array(
      fc.oneof(fc.anything(), fc.record({ agent: fc.constant("git"), title: fc.anything() })),
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ steps })), (written) => void readPlan(written, agents)),
    );
  });

  it("ignores key order, white space and escapes", () => {
    fc.assert(
      fc.property(planArguments, choices, (value, chosen) => {
        const plain = readPlan(JSON.parse(JSON.stringify(value)), AGENTS);
        expect(plain).not.toHaveProperty("problem");
        expect(readPlan(JSON.parse(jsonText(value, chosen)), AGENTS)).toEqual(plain);
      }),
    );
  });
});
