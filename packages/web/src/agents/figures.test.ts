import { expect, it } from "vitest";
import { figuresOf } from "./figures.ts";
import { findingOf } from "./finding.ts";

const none = { ended: 0, failed: 0, cancelled: 0 };

it("an agent's statistics cover all its work, and omit unknown values (S4.25)", () => {
  const statistics = {
    runs: { ended: 1, failed: 0, cancelled: 0, meanMs: 4_000, meanFirstTokenMs: 300 },
    delegations: { ended: 3, failed: 1, cancelled: 0, meanMs: 2_000 },
    ...{ inputTokens: 12_345, outputTokens: 67, cost: [{ amount: 0.25, currency: "USD" }] },
  };
  expect(figuresOf(statistics, "en").map(({ name, text }) => `${name}: ${text}`)).toEqual([
    ...["asked: 1", "delegated: 3", "failed: 1 (25%)", "latency: 2.5 s", "firstToken: 300 ms"],
    ...["tokens: 12,345 / 67", "cost: $0.25"],
  ]);
  const nothing = { runs: none, delegations: none, inputTokens: 0, outputTokens: 0, cost: [] };
  expect(figuresOf(nothing, "de").map(({ name }) => name)).toEqual([
    "asked",
    "delegated",
    "failed",
    "tokens",
  ]);
});

it("a finding is parsed from the API, and any other text is shown unchanged", () => {
  expect(findingOf("error at $.skills[0].id: it is: required")).toEqual({
    ...{ severity: "error", path: "$.skills[0].id", message: "it is: required" },
  });
  expect(findingOf("something else")).toEqual({ severity: "warning", path: "", message: "something else" });
});
