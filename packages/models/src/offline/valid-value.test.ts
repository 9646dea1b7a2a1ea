import { expect, it } from "vitest";
import { isValid } from "./valid-value.ts";

it("a value is checked against patterns such as people write them", () => {
  const day = { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" };
  expect([isValid("2026-11-16", day), isValid("today", day)]).toEqual([true, false]);
});

it("a pattern that unfolds to far more than it is long costs nothing, and refuses nothing", () => {
  const patterns = Array.from({ length: 20 }, (_, at) => `${"(a?){1000}".repeat(20)}${at}`);
  const before = process.cpuUsage();
  for (const pattern of patterns) expect(isValid("b", { type: "string", pattern })).toBe(true);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1.5);
});
