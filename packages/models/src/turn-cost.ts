import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ModelUsage } from "./model.ts";

/** Where a model's price is found: by its provider's name, or by the address that it is served at. */
export interface PriceOf {
  readonly modelId: string;
  readonly provider: { readonly providerId: string } | { readonly providerApiUrl: string };
}

/** What a turn used and, where the bundled price list knows the model, what it cost; never asks the network. */
export async function turnUsage(used: LanguageModelV4Usage, price: PriceOf): Promise<ModelUsage> {
  const cost = await turnCost(used, price);
  const { inputTokens: input, outputTokens: output } = used;
  return {
    ...(input.total !== undefined && { inputTokens: input.total }),
    ...(output.total !== undefined && { outputTokens: output.total }),
    ...(output.reasoning !== undefined && { reasoningTokens: output.reasoning }),
    ...(input.cacheRead !== undefined && { cachedInputTokens: input.cacheRead }),
    ...(cost !== undefined && { cost }),
  };
}

/** Models that the list does not know: it is not searched again for each of their turns. */
const unpriced = new WeakSet<PriceOf>();

async function turnCost(used: LanguageModelV4Usage, price: PriceOf): Promise<number | undefined> {
  const { total: input, cacheRead, cacheWrite } = used.inputTokens;
  if (input === undefined || used.outputTokens.total === undefined || unpriced.has(price)) return undefined;
  // The list is 0.8 MB of source, which a start should not wait for.
  const { calcPrice } = await import("@pydantic/genai-prices");
  const usage = {
    input_tokens: input,
    cache_read_tokens: cacheRead ?? 0,
    cache_write_tokens: cacheWrite ?? 0,
    output_tokens: used.outputTokens.total,
  };
  try {
    const found = calcPrice(usage, price.modelId, price.provider);
    if (!found) unpriced.add(price);
    return found?.total_price;
  } catch {
    return undefined; // The list refuses counts that do not add up; an answer is worth more than its price.
  }
}
