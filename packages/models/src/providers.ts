import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { PromptStyle } from "./provider-prompt.ts";

/** How the providers' packages reach a model. */
interface ProviderAccess {
  readonly model: string;
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof globalThis.fetch;
}

/** A provider that we know: its variables, the model it stands for when none is named, and its package. */
export interface Provider {
  readonly id: string;
  /** In order; the first that is set counts. */
  readonly keyVariables: readonly [string, ...string[]];
  readonly urlVariable: string;
  readonly defaultUrl: string | undefined;
  readonly defaultModel: string | undefined;
  readonly style: Omit<PromptStyle, "provider">;
  readonly load: (access: ProviderAccess) => Promise<LanguageModelV4>;
}

const anthropic: Provider = {
  id: "anthropic",
  keyVariables: ["ANTHROPIC_API_KEY"],
  urlVariable: "ANTHROPIC_BASE_URL",
  defaultUrl: "https://api.anthropic.com/v1",
  defaultModel: "claude-sonnet-5-5",
  style: {
    cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } },
    tellsFailures: true,
    thinksOnlyWithEcho: true,
  },
  load: async ({ model, apiKey = "", ...access }) =>
    (await import("@ai-sdk/anthropic")).createAnthropic({ ...access, apiKey }).messages(model),
};

const openai: Provider = {
  id: "openai",
  keyVariables: ["OPENAI_API_KEY"],
  urlVariable: "OPENAI_BASE_URL",
  defaultUrl: "https://api.openai.com/v1",
  defaultModel: "gpt-5.6",
  // Nothing of a conversation is left with the provider; its thinking comes back encrypted instead.
  style: {
    always: { openai: { store: false } },
    whenThinking: { openai: { store: false, reasoningSummary: "auto" } },
  },
  load: async ({ model, apiKey = "", ...access }) =>
    (await import("@ai-sdk/openai")).createOpenAI({ ...access, apiKey }).responses(model),
};

const google: Provider = {
  id: "google",
  keyVariables: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
  urlVariable: "GOOGLE_GENERATIVE_AI_BASE_URL",
  defaultUrl: "https://generativelanguage.googleapis.com/v1beta",
  defaultModel: "gemini-3.8-flash",
  style: { whenThinking: { google: { thinkingConfig: { includeThoughts: true } } } },
  load: async ({ model, apiKey = "", ...access }) =>
    (await import("@ai-sdk/google")).createGoogle({ ...access, apiKey }).languageModel(model),
};

const openaiCompatible: Provider = {
  id: "openai-compatible",
  keyVariables: ["OPENAI_COMPATIBLE_API_KEY"],
  urlVariable: "OPENAI_COMPATIBLE_BASE_URL",
  defaultUrl: undefined,
  defaultModel: undefined,
  style: {},
  load: async ({ model, apiKey, ...access }) =>
    (await import("@ai-sdk/openai-compatible"))
      .createOpenAICompatible({
        ...access,
        name: "openai-compatible",
        includeUsage: true,
        ...(apiKey !== undefined && { apiKey }),
      })
      .chatModel(model),
};

/** All of them, in the order in which a key is looked for when no model is named. */
export const providers: readonly Provider[] = [anthropic, openai, google, openaiCompatible];
