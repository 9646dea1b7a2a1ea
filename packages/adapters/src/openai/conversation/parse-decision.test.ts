import { cpuTime } from "@parley/testing/cpu-time.ts";
import { expect, it } from "vitest";
import { parseDecision } from "./parse-decision.ts";

it.each([
  "yes",
  " Yes. ",
  "y",
  "OK",
  "okay!",
  "approve",
  "Go ahead",
  "yes, please",
  "**Yes**",
  "do it",
  "ja",
])("takes %j for a yes", (words) => {
  expect(parseDecision(words)).toEqual({ decision: "approved", text: words });
});

it.each(["no", "N", "deny", "Don’t", "do not", "Stop!", "cancel", "nein"])("takes %j for a no", (words) => {
  expect(parseDecision(words).decision).toBe("denied");
});

it.each(["yes, but only in staging", "not now", "which cluster?", "blue", "", "nobody", "okay-ish"])(
  "takes %j for an answer in words",
  (words) => {
    expect(parseDecision(words).decision).toBe("answered");
  },
);

it("costs little, however much is said", () => {
  const began = cpuTime();
  expect(parseDecision(`${"!".repeat(300_000)}x`).decision).toBe("answered");
  expect(cpuTime() - began).toBeLessThan(10_000);
});
