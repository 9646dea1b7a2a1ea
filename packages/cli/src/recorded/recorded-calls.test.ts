import { describe, expect, it } from "vitest";
import { callRounds, type PlacedCall } from "./recorded-calls.ts";
import type { RecordedPlan } from "./recording.ts";

function plan(dependencies: Readonly<Record<string, readonly string[]>>): RecordedPlan {
  return Object.entries(dependencies).map(([id, needed]) => ({
    ...{ id, title: id, agent: "a", dependencies: [...needed], state: "completed" as const },
  }));
}

function rounds(calls: readonly PlacedCall[], plans: readonly RecordedPlan[]): number[] {
  const places = callRounds(calls, plans);
  return calls.map((call) => places.get(call)?.round ?? 0);
}

const call = (id: string, ...after: PlacedCall[]): PlacedCall => ({ id, after });

describe("callRounds (+10)", () => {
  it("follows the plan, however long each step took", () => {
    const steps = plan({ a: [], b: [], c: ["a"], d: ["b"] });
    const [a, b] = [call("p.a"), call("p.b")];
    const slowB = [a, b, call("p.c", a), call("p.d", a, b)];
    const slowA = [a, b, call("p.d", b), call("p.c", a, b)];
    expect(rounds(slowB, [steps])).toEqual([1, 1, 2, 2]);
    expect(rounds(slowA, [steps])).toEqual([1, 1, 2, 2]);
  });

  it("separates independent steps that ran one after the other", () => {
    const a = call("p.a");
    expect(rounds([a, call("p.b", a)], [plan({ a: [], b: [] })])).toEqual([1, 2]);
  });

  it("continues from plan to plan, even if both use the same ids", () => {
    const [a, b] = [call("p.1"), call("p.2")];
    const next = [call("q.1", a, b), call("q.2", a, b)];
    const plans = [plan({ 1: [], 2: ["1"] }), plan({ 1: [], 2: [] })];
    expect(rounds([a, b, ...next], plans)).toEqual([1, 2, 3, 3]);
  });

  it("puts the agent that is asked instead of another into a later round", () => {
    const first = call("x");
    expect(rounds([first, call("x", first)], [])).toEqual([1, 2]);
  });
});
