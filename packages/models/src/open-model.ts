import type { Model } from "./model.ts";
import { ModelKeyError, UnknownModelError } from "./model-errors.ts";
import { offlineModel } from "./offline/offline-model.ts";
import { ProviderModel } from "./provider-model.ts";
import { type Provider, providers } from "./providers.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface OpenModelOptions {
  readonly environment: Environment;
  readonly fetch?: typeof globalThis.fetch;
  readonly onWarning?: (warning: string) => void;
}

/**
 * Opens `anthropic:…`, `openai:…`, `google:…`, `openai-compatible:…` (also `…@https://host/v1`), `offline`, or
 * `offline:50` at 50 tokens a second; a missing key or an unknown name throws now, anything else when a turn is taken.
 */
export function openModel(name: string, options: OpenModelOptions): Model {
  const parsed = parseModelName(name);
  if (parsed.provider === "offline") return offlineModel(paceOf(parsed));
  const provider = providers.find(({ id }) => id === parsed.provider);
  if (provider === undefined || parsed.model === "") throw unknown(name);
  return providerModel(provider, parsed, options);
}

/** The model that is used when none is named: `PARLEY_MODEL`, else the first provider with a key, else `offline`. */
export function defaultModelName(environment: Environment): string {
  const { PARLEY_MODEL: chosen } = environment;
  if (isSet(chosen)) return chosen;
  const found = providers.find(
    (provider) => provider.defaultModel !== undefined && keyOf(provider, environment) !== undefined,
  );
  if (found !== undefined) return `${found.id}:${found.defaultModel}`;
  const { OPENAI_COMPATIBLE_BASE_URL: url, OPENAI_COMPATIBLE_MODEL: model } = environment;
  return isSet(url) && isSet(model) ? `openai-compatible:${model}` : "offline";
}

/** A provider of models, and whether it has a key; never the key itself. */
export interface ProviderStanding {
  readonly provider: string;
  readonly hasKey: boolean;
  readonly keyVariables: readonly string[];
  readonly defaultModel?: string;
}

/** The providers that we know, as this environment has them. */
export function providerStandings(environment: Environment): readonly ProviderStanding[] {
  return providers.map((provider) => ({
    provider: provider.id,
    hasKey: keyOf(provider, environment) !== undefined,
    keyVariables: provider.keyVariables,
    ...(provider.defaultModel !== undefined && { defaultModel: provider.defaultModel }),
  }));
}

function providerModel(provider: Provider, { model, url }: ModelName, options: OpenModelOptions): Model {
  const { environment, fetch = globalThis.fetch, onWarning = () => {} } = options;
  const name = `${provider.id}:${model}`;
  const keyVariable = provider.keyVariables.join(" or ");
  const baseURL = baseUrl(provider, url, environment);
  const apiKey = keyFor(provider, baseURL, environment);
  if (provider.defaultUrl !== undefined && apiKey === undefined) {
    throw new ModelKeyError(`${name} needs a key: set ${keyVariable}, or use the model "offline"`);
  }
  let loaded: ReturnType<Provider["load"]> | undefined;
  return new ProviderModel({
    name,
    keyVariable,
    key: apiKey,
    load: () => {
      loaded ??= provider.load({ model, baseURL, apiKey, fetch: withoutRedirects(fetch) });
      return loaded;
    },
    style: { ...provider.style, provider: provider.id },
    price: {
      modelId: model,
      provider: provider.defaultUrl === undefined ? { providerApiUrl: baseURL } : { providerId: provider.id },
    },
    onWarning,
  });
}

function baseUrl(provider: Provider, own: string | undefined, environment: Environment): string {
  // Another host must not be sent the key of a provider that has its own.
  if (own !== undefined && provider.defaultUrl !== undefined) {
    throw new UnknownModelError(
      `An address after @ is for openai-compatible models; set ${provider.urlVariable}`,
    );
  }
  const fromVariable = environment[provider.urlVariable];
  const url = own ?? (isSet(fromVariable) ? fromVariable : provider.defaultUrl);
  if (url === undefined || !URL.canParse(url)) {
    throw new UnknownModelError(
      `Where ${provider.id} models are served is not known: set ${provider.urlVariable} to a URL, or write the model as ${provider.id}:model@https://host/v1`,
    );
  }
  const trimmed = url.replace(/(?<!\/)\/+$/, "");
  // Anthropic's own tools write this variable without the version, others with it.
  return provider.id === "anthropic" && new URL(url).pathname === "/" ? `${trimmed}/v1` : trimmed;
}

function keyFor(provider: Provider, baseURL: string, environment: Environment): string | undefined {
  const intended = environment[provider.urlVariable];
  const elsewhere =
    provider.defaultUrl === undefined &&
    isSet(intended) &&
    new URL(intended).origin !== new URL(baseURL).origin;
  return elsewhere ? undefined : keyOf(provider, environment);
}

function keyOf(provider: Provider, environment: Environment): string | undefined {
  return provider.keyVariables.map((variable) => environment[variable]?.trim()).find(isSet);
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

/** A redirect would send the key and the conversation to another host. */
function withoutRedirects(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => fetch(input, { ...init, redirect: "error" });
}

/** Tokens per second; undefined is unlimited. */
function paceOf({ model }: ModelName): number | undefined {
  return /^[1-9]\d*$/.test(model) ? Number(model) : undefined;
}

function unknown(name: string): UnknownModelError {
  const known = providers.map(({ id }) => `${id}:…`).join(", ");
  return new UnknownModelError(`"${name}" names no model that we know: use ${known} or offline`);
}

/** A model's name in its parts; `url` where the name brings its own endpoint. */
interface ModelName {
  readonly provider: string;
  readonly model: string;
  readonly url?: string;
}

/** Reads `provider:model` or `provider:model@https://host/v1`; models' own names may hold colons and at signs. */
export function parseModelName(text: string): ModelName {
  const parts = /^([a-z][a-z0-9-]*)(?::(.+?))?(?:@(https?:\/\/\S+))?$/i.exec(text.trim());
  const provider = parts?.[1];
  if (provider === undefined) {
    throw new UnknownModelError(
      `"${text}" names no model: write provider:model, for example anthropic:claude-sonnet-5-5, or offline`,
    );
  }
  const url = parts?.[3];
  return { provider: provider.toLowerCase(), model: parts?.[2] ?? "", ...(url !== undefined && { url }) };
}
