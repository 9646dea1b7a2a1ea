import { z } from "zod";
import {
  ModelAnswerError,
  ModelBusyError,
  ModelError,
  ModelKeyError,
  ModelUnreachableError,
  UnknownModelError,
} from "./model-errors.ts";
import { retryAfterMs } from "./retry-after.ts";

const DEFAULT_WAIT_MS = 1_000;
const LONGEST_QUOTE = 300;
const NO_CODES: readonly string[] = [];

/** Whose failure it is: the model's full name, where its key is set, and the key, which no message may show. */
export interface FailingModel {
  readonly name: string;
  readonly keyVariable: string;
  readonly key: string | undefined;
}

/** What the providers' packages throw or stream as an error, as far as we read it; all of it is optional. */
const failureShape = z.looseObject({
  name: z.string().catch(""),
  message: z.string().catch(""),
  statusCode: z.number().optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  code: z.union([z.string(), z.number()]).optional().catch(undefined),
  responseHeaders: z.record(z.string(), z.string()).optional().catch(undefined),
  responseBody: z.string().optional().catch(undefined),
});
type Failure = z.infer<typeof failureShape>;

/** Says in our classes why a provider's call failed; the key is in none of it. */
export function providerFailure(error: unknown, model: FailingModel): ModelError {
  if (error instanceof ModelError) return error;
  // An Error's own members are not enumerable, so they are named one by one.
  const failure = failureShape.parse(typeof error === "object" && error !== null ? reachable(error) : {});
  const quote = withoutKey(failure.message, model.key).slice(0, LONGEST_QUOTE);
  const cause = new Error(`${failure.name}: ${quote}`);
  const codes = codesOf(failure);
  const wait = retryAfterMs(failure.responseHeaders, failure.responseBody);
  const status = failure.statusCode;

  if (codes.includes("model_not_found") || status === 404 || codes.includes("not_found_error")) {
    return new UnknownModelError(
      `${model.name} is not known to its provider (${quote}): check the model's name and the base URL`,
      { cause },
    );
  }
  if (status === 401 || status === 403 || codes.includes("API_KEY_INVALID")) {
    // Without a cause: providers quote keys that they refuse, in part.
    return new ModelKeyError(`The provider of ${model.name} refuses the key: check ${model.keyVariable}`);
  }
  if (codes.includes("insufficient_quota")) {
    return new ModelBusyError(
      `The account behind ${model.keyVariable} has no credit left for ${model.name}`,
      {
        cause,
      },
    );
  }
  if (status === 429 || status === 503 || status === 529 || codes.some(isBusy)) {
    const retry = wait ?? DEFAULT_WAIT_MS;
    return new ModelBusyError(
      `${model.name} takes no more requests for now (${quote}): try again in ${Math.ceil(retry / 1000)} s`,
      { cause, retryAfterMs: retry },
    );
  }
  if (status !== undefined && status >= 400 && status < 500 && status !== 408) {
    return new ModelAnswerError(`The provider of ${model.name} refuses the request: ${quote}`, { cause });
  }
  if (isOffProtocol(failure)) {
    return new ModelAnswerError(
      `${model.name} answered with something that its protocol does not have: ${quote}`,
      { cause },
    );
  }
  return new ModelUnreachableError(
    `${model.name} cannot be reached, or broke off (${quote}): check the network and the base URL`,
    { cause, retryAfterMs: wait ?? DEFAULT_WAIT_MS },
  );
}

function reachable(error: object): Record<string, unknown> {
  const from = error as Record<string, unknown>;
  return Object.fromEntries(Object.keys(failureShape.shape).map((key) => [key, from[key]]));
}

function codesOf({ type, code, responseBody = "" }: Failure): readonly string[] {
  const named = responseBody.match(/"(?:type|code|status|reason)"\s*:\s*"([^"]+)"/g) ?? NO_CODES;
  return [type ?? "", String(code ?? ""), ...named.map((text) => text.split('"').at(-2) ?? "")];
}

function isBusy(code: string): boolean {
  return /^(overloaded_error|rate_limit_error|rate_limit_exceeded|RESOURCE_EXHAUSTED|UNAVAILABLE)$/.test(
    code,
  );
}

function isOffProtocol({ name, message }: Failure): boolean {
  // The compatible provider reports a stream that ended early as invalid data; it is a cut all the same.
  if (/ended without a finish/i.test(message)) return false;
  // The Anthropic package's own words for a first event that it cannot parse.
  if (message.startsWith("Expected a normalized")) return true;
  return /JSONParseError|TypeValidationError|InvalidResponseData|NoSuchModel|UnsupportedFunctionality/.test(
    name,
  );
}

function withoutKey(text: string, key: string | undefined): string {
  return key === undefined || key === "" ? text : text.replaceAll(key, "…");
}
