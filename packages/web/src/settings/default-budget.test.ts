import { expect, it } from "vitest";
import { newSessionConfig, wholeNumber } from "./default-budget.ts";

it("a new session gets the budget in the record's units, and no configuration if none is set (+5)", () => {
  expect(newSessionConfig({ seconds: 30, tokens: 5_000 })).toEqual({
    config: { budget: { timeMs: 30_000, tokens: 5_000 } },
  });
  expect(newSessionConfig({ tokens: 7 })).toEqual({ config: { budget: { tokens: 7 } } });
  expect(newSessionConfig({})).toEqual({});
});

it.each(["", " ", "0", "-3", "1.5", "many", "1e400"])("%j is no limit", (text) => {
  expect(wholeNumber(text)).toBeUndefined();
});
