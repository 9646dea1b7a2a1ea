import { planDecision, withMember } from "@parley/a2a";
import { expect, it } from "vitest";
import type { Plan } from "./plan.ts";
import { planAnswer } from "./plan-answer.ts";

const plan: Plan = {
  steps: ["build", "sandbox", "deploy"].map((id) => {
    return { id, title: id, agent: "one", request: id, dependencies: [] };
  }),
};
const answered = (text: string, metadata = {}) =>
  planAnswer({ messageId: "m", role: "ROLE_USER", parts: [{ text }], metadata }, plan);

it.each([
  ["yes", true, []],
  ["no", false, []],
  ["skip 2", true, ["sandbox"]],
  ["yes, but skip steps 1 and 3", true, ["build", "deploy"]],
  ["ok, skip sandbox and deploy.", true, ["sandbox", "deploy"]],
])("%j decides about a plan as it says (+6)", (text, approved, skip) => {
  expect(answered(text)).toEqual({ approved, skip });
});

it.each(["yes, but skip the second", "yes, skip", "skip 2 and the last one", "yes, skip 7"])(
  "%j is no clear yes, so that nothing is done that was meant to be skipped (+6)",
  (text) => {
    expect(answered(text).approved).toBe(false);
  },
);

it("planAnswer accepts unknown steps in the extension's decision (+6)", () => {
  const metadata = withMember(undefined, planDecision, { skip: ["nine", "deploy"] });
  expect(answered("", metadata)).toMatchObject({ approved: true, skip: ["nine", "deploy"] });
});
