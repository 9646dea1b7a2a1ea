import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { isObject } from "@parley/a2a";
import { z } from "zod";
import { gatheredEvents } from "./gathered-events.ts";
import type { EndOfTurn, Model, ModelEvent, ModelRequest, ModelUsage, ToolCall } from "./model.ts";
import {
  ModelAnswerError,
  ModelBusyError,
  ModelError,
  ModelKeyError,
  ModelUnreachableError,
  UnknownModelError,
} from "./model-errors.ts";
import { type PromptStyle, providerPrompt } from "./provider-prompt.ts";
import { retryAfterMs } from "./retry-after.ts";
import { type PriceOf, turnUsage } from "./turn-cost.ts";
import { EchoRecorder } from "./turn-echo.ts";

const DEFAULT_WAIT_MS = 1_000;
const MAX_QUOTE_LENGTH = 300;
const NO_CODES: readonly string[] = [];

/** Whose failure it is: the model's full name, where its key is set, and the key, which no message may show. */
interface FailingModel {
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

/** Maps a provider's failure to our errors; none of them contains the key. */
function providerFailure(error: unknown, model: FailingModel): ModelError {
  if (error instanceof ModelError) return error;
  // An Error's own members are not enumerable, so they are named one by one.
  const failure = failureShape.parse(typeof error === "object" && error !== null ? reachable(error) : {});
  const quote = withoutKey(failure.message, model.key).slice(0, MAX_QUOTE_LENGTH);
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

export interface ProviderModelOptions extends FailingModel {
  /** Loads the provider's package, which a start should not wait for. */
  readonly load: () => Promise<LanguageModelV4>;
  readonly style: PromptStyle;
  readonly price: PriceOf;
  /** Receives the provider package's warnings about a request. */
  readonly onWarning: (warning: string) => void;
}

type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/** A model that one of the providers' packages reaches over HTTP. */
export class ProviderModel implements Model {
  readonly name: string;
  readonly #options: ProviderModelOptions;

  constructor(options: ProviderModelOptions) {
    this.name = options.name;
    this.#options = options;
  }

  async *turn(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    try {
      signal.throwIfAborted();
      const model = await this.#options.load();
      const { stream } = await model.doStream(providerPrompt(request, this.#options.style, signal));
      const reader = stream.getReader();
      try {
        yield* gatheredEvents((hear) => this.#speak(reader, hear));
      } finally {
        // A reader that stops also stops the model.
        reader.cancel().catch(() => {});
      }
    } catch (error) {
      signal.throwIfAborted();
      throw providerFailure(error, this.#options);
    }
  }

  async #speak(
    reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
    hear: (event: ModelEvent) => Promise<void> | undefined,
  ): Promise<void> {
    const recorder = new EchoRecorder();
    const tools = new Map<string, string>();
    for (;;) {
      const { value: part } = await reader.read();
      if (!part) throw this.#brokeOff();
      recorder.add(part);
      if (part.type === "finish") {
        hear(await this.#end(part, recorder));
        return;
      }
      const event = this.#eventOf(part, tools);
      const room = event && hear(event);
      if (room) await room;
    }
  }

  #eventOf(
    part: Exclude<LanguageModelV4StreamPart, FinishPart>,
    tools: Map<string, string>,
  ): ModelEvent | undefined {
    switch (part.type) {
      case "text-delta":
        return part.delta === "" ? undefined : { type: "text", text: part.delta };
      case "reasoning-delta":
        return part.delta === "" ? undefined : { type: "thinking", text: part.delta };
      case "tool-input-start":
        tools.set(part.id, part.toolName);
        return undefined;
      case "tool-input-delta":
        if (part.delta === "") return undefined;
        return { type: "tool-input", id: part.id, tool: tools.get(part.id) ?? "", text: part.delta };
      case "tool-call":
        return { type: "tool-call", call: toolCall(part.toolCallId, part.toolName, part.input) };
      case "error":
        throw part.error;
      case "stream-start":
        for (const warning of part.warnings)
          this.#options.onWarning(`${this.name}: ${JSON.stringify(warning)}`);
        return undefined;
      default:
        return undefined; // Starts and ends of blocks, sources and files: the port has no place for them.
    }
  }

  async #end({ finishReason, usage }: FinishPart, recorder: EchoRecorder): Promise<ModelEvent> {
    const used: ModelUsage = await turnUsage(usage, this.#options.price);
    const echo = recorder.echo(this.#options.style.provider);
    return { type: "end", reason: this.#reason(finishReason), usage: used, ...(echo && { echo }) };
  }

  #reason({ unified, raw }: FinishPart["finishReason"]): EndOfTurn {
    switch (unified) {
      case "interrupted":
        throw this.#brokeOff();
      case "error":
        throw new ModelAnswerError(`${this.name} could not finish its answer (${raw ?? "no reason given"})`);
      default:
        return unified;
    }
  }

  #brokeOff(): ModelUnreachableError {
    return new ModelUnreachableError(`${this.name} broke off in the middle of its answer: ask again`, {
      retryAfterMs: 1_000,
    });
  }
}

function toolCall(id: string, tool: string, text: string): ToolCall {
  return { id, tool, arguments: parsedArguments(text), text };
}

function parsedArguments(text: string): Readonly<Record<string, unknown>> | undefined {
  // A call without arguments comes as an empty text from some providers.
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
