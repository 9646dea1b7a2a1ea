import { z } from "zod";

const known = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedTokens: z.number().optional(),
});

/** A run's usage as chat completions write it; undefined: unknown. */
export function chatUsage(usage: unknown) {
  const { data } = known.safeParse(usage);
  if (!data) return undefined;
  const { inputTokens, outputTokens, cachedTokens = 0 } = data;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
}

/** A run's usage as responses write it; undefined: unknown. */
export function responseUsage(usage: unknown) {
  const { data } = known.safeParse(usage);
  if (!data) return undefined;
  const { inputTokens, outputTokens, cachedTokens = 0 } = data;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    // Agents do not report reasoning tokens.
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}
