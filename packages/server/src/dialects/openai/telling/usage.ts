import { z } from "zod";

const known = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedTokens: z.number().optional(),
});

/** What a run used, as chat completions tell it; undefined: nobody knows. */
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

/** The same, as responses tell it. */
export function responseUsage(usage: unknown) {
  const { data } = known.safeParse(usage);
  if (!data) return undefined;
  const { inputTokens, outputTokens, cachedTokens = 0 } = data;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    // How many of them were thought, agents do not tell.
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}
