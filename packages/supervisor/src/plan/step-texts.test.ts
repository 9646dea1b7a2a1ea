import { describe, expect, it } from "vitest";
import { planOutcome, stepRequest } from "./step-texts.ts";
import { step } from "./testing/plan-graphs.ts";

describe("stepRequest", () => {
  it("returns the request alone for a step without dependencies", () => {
    expect(stepRequest(step("a"), [])).toBe("Request of a");
  });

  it("adds the result of each dependency", () => {
    const results = [
      { step: step("a"), text: "v3.1.8" },
      { step: step("b"), text: "main" },
    ];
    expect(stepRequest(step("c", ["a", "b"]), results)).toBe(
      "Request of c\n\nResults of earlier steps, as material for this request:\n\n" +
        "### Title of a\n\nv3.1.8\n\n### Title of b\n\nmain",
    );
  });

  it("truncates a long result between characters, and says so", () => {
    const told = stepRequest(step("b", ["a"]), [{ step: step("a"), text: `x${"🎯".repeat(50_000)}` }]);
    expect(told.length).toBeLessThan(32_500);
    expect(told.isWellFormed()).toBe(true);
    expect(told).toMatch(/🎯\n\[cut: these are the first 31999 of 100001 characters\]$/);
  });
});

describe("planOutcome", () => {
  const plan = { steps: [step("a"), step("b", ["a"], { agent: "argocd" })] };

  it("returns the outcome of each step as JSON (+6)", () => {
    const outcomes = new Map([
      ["a", { state: "failed", text: "no such host" }],
      ["b", { state: "skipped", text: 'Skipped, because step "a" failed.' }],
    ] as const);
    expect(JSON.parse(planOutcome(plan, outcomes))).toEqual({
      steps: [
        { id: "a", agent: "git", state: "failed", result: "no such host" },
        { id: "b", agent: "argocd", state: "skipped", result: 'Skipped, because step "a" failed.' },
      ],
    });
  });

  it("is bounded, however long the results are", () => {
    const long = { state: "completed", text: "y".repeat(1_000_000) } as const;
    const told = planOutcome(
      plan,
      new Map([
        ["a", long],
        ["b", long],
      ]),
    );
    expect(told.length).toBeLessThan(65_000);
    expect(JSON.parse(told).steps[1].result).toMatch(/^y{32000}\n\[cut: /);
  });
});
