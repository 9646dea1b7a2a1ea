import type { OpenSpan, Trace } from "@parley/a2a";
import type { ModelEvent, ToolCall } from "@parley/models";
import type { ToolRequest, ToolReturn, WaitingCall } from "./tool-box.ts";

/** What a turn came to, as its span shows it. */
export interface EndedTurn {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly end: Extract<ModelEvent, { type: "end" }> | undefined;
}

/** One turn of a model as a span: begun and ended, with nothing for the tokens between. */
export class TurnSpan {
  readonly #span: OpenSpan;

  constructor(trace: Trace, modelName: string, input: () => unknown) {
    // A name may bring its endpoint, which is nobody's business here.
    const [named = ""] = modelName.split(/@https?:/, 1);
    const [provider = ""] = /^[^:@]*/.exec(named) ?? [];
    const model = named.slice(provider.length).replace(/^:/, "");
    const asked = model || provider;
    this.#span = trace.begin(`chat ${asked}`, {
      kind: "client",
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": asked,
      },
    });
    this.#span.said("gen_ai.input.messages", input);
  }

  ended({ text, calls, end }: EndedTurn): void {
    const { inputTokens, outputTokens } = end?.usage ?? {};
    this.#span.set({
      ...(end && { "gen_ai.response.finish_reasons": [end.reason] }),
      ...(inputTokens !== undefined && { "gen_ai.usage.input_tokens": inputTokens }),
      ...(outputTokens !== undefined && { "gen_ai.usage.output_tokens": outputTokens }),
    });
    this.#span.said("gen_ai.output.messages", () => ({ text, calls }));
    this.#span.end();
  }

  failed(error: unknown): void {
    this.#span.fail(error);
    this.#span.end();
  }
}

/** Makes a call within a span of its own, of which the tool is told. */
export function tracedCall(
  trace: Trace,
  request: ToolRequest,
  call: (request: ToolRequest) => Promise<ToolReturn | WaitingCall>,
): Promise<ToolReturn | WaitingCall> {
  const attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": request.tool,
    "gen_ai.tool.call.id": request.id,
  };
  return trace.within(`execute_tool ${request.tool}`, { attributes }, async (span) => {
    span.said("gen_ai.tool.call.arguments", () => request.arguments);
    const result = await call({ ...request, trace: span });
    const { outcome } = result;
    span.set({ "parley.tool.outcome": outcome });
    if (outcome !== "waiting") span.said("gen_ai.tool.call.result", () => result.text);
    if (outcome === "failed" || outcome === "unknown") span.fail(outcome);
    return result;
  });
}
