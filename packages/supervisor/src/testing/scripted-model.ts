import type { Model, ModelEvent, ModelMessage, ModelRequest } from "@parley/models";

/** What the model does in one turn: text in pieces, and calls. */
export interface ScriptedTurn {
  readonly text?: readonly string[];
  readonly calls?: readonly { readonly id: string; readonly tool: string; readonly arguments: object }[];
}

/** A model whose turns are written down: one after the other, by what it is shown. */
export class ScriptedModel implements Model {
  readonly name = "test:scripted";
  readonly requests: ModelRequest[] = [];
  readonly #next: (messages: readonly ModelMessage[], turn: number) => ScriptedTurn;

  constructor(
    next: readonly ScriptedTurn[] | ((messages: readonly ModelMessage[], turn: number) => ScriptedTurn),
  ) {
    this.#next = typeof next === "function" ? next : (messages) => next[turnsIn(messages)] ?? {};
  }

  async *turn(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    this.requests.push({ ...request, messages: [...request.messages] });
    const { text = [], calls = [] } = this.#next(request.messages, turnsIn(request.messages));
    for (const piece of text) yield { type: "text", text: piece };
    for (const { id, tool, arguments: given } of calls) {
      const written = JSON.stringify(given);
      for (let at = 0; at < written.length; at += 5)
        yield { type: "tool-input", id, tool, text: written.slice(at, at + 5) };
      yield { type: "tool-call", call: { id, tool, arguments: { ...given }, text: written } };
    }
    yield {
      type: "end",
      reason: calls.length > 0 ? "tool-calls" : "stop",
      usage: { inputTokens: 10, outputTokens: 5 },
    };
  }
}

/** The model's own turns since the user last spoke. */
function turnsIn(messages: readonly ModelMessage[]): number {
  const last = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(last).filter(({ role }) => role === "assistant").length;
}

/** A call of the plan tool. */
export function plan(
  id: string,
  ...steps: readonly { id: string; agent: string; request?: string; dependencies?: string[] }[]
) {
  const written = steps.map((step) => ({
    title: `Ask ${step.agent}`,
    request: `work ${step.id}`,
    dependencies: [],
    ...step,
  }));
  return { id, tool: "carry_out_plan", arguments: { steps: written } };
}
