import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { gatheredEvents } from "./gathered-events.ts";
import type { EndOfTurn, Model, ModelEvent, ModelRequest, ToolCall, Usage } from "./model.ts";
import { ModelAnswerError, ModelUnreachableError } from "./model-errors.ts";
import { type FailingModel, providerFailure } from "./provider-failure.ts";
import { type PromptStyle, providerPrompt } from "./provider-prompt.ts";
import { type PriceOf, turnUsage } from "./turn-cost.ts";
import { EchoRecorder } from "./turn-echo.ts";

/** What a model behind a provider's package is made of. */
export interface ProviderModelOptions extends FailingModel {
  /** Loads the provider's package, which a start should not wait for. */
  readonly load: () => Promise<LanguageModelV4>;
  readonly style: PromptStyle;
  readonly price: PriceOf;
  /** Told what the provider's package says about a request that it could not send quite as asked. */
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
        // Whoever stops listening stops the model.
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
    const used: Usage = await turnUsage(usage, this.#options.price);
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
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
