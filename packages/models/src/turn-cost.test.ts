import { describe, expect, it } from "vitest";
import { turnUsage } from "./turn-cost.ts";

function used(input: number | undefined, cacheRead: number | undefined, output: number | undefined) {
  return {
    inputTokens: { total: input, noCache: undefined, cacheRead, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
  };
}
const sonnet = { modelId: "claude-sonnet-4-5", provider: { providerId: "anthropic" } };

describe("a turn's usage", () => {
  it("has its cost, with cached tokens cheaper", async () => {
    const full = await turnUsage(used(1_000_000, 0, 0), sonnet);
    const cached = await turnUsage(used(1_000_000, 1_000_000, 0), sonnet);
    expect(full.cost).toBeGreaterThan(0);
    expect(cached.cost).toBeLessThan(full.cost ?? 0);
    expect(cached).toMatchObject({ inputTokens: 1_000_000, outputTokens: 0, cachedInputTokens: 1_000_000 });
  });

  it.each([
    ["an unknown model", used(1, 0, 1), { modelId: "m", provider: { providerId: "openai" } }],
    [
      "an unknown address",
      used(1, 0, 1),
      { modelId: "gpt-5", provider: { providerApiUrl: "http://127.0.0.1/v1" } },
    ],
    ["counts that do not add up", used(1, 5, 1), sonnet],
    ["no counts", used(undefined, undefined, undefined), sonnet],
  ])("has no cost for %s", async (_, tokens, price) => {
    expect(await turnUsage(tokens, price)).not.toHaveProperty("cost");
  });
});
