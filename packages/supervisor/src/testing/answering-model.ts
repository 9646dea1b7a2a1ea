import { setTimeout as sleep } from "node:timers/promises";
import type { Model, ModelEvent, ModelMessage, ModelRequest } from "@parley/models";
import { plan, ScriptedModel, type ScriptedTurn } from "./scripted-model.ts";
import { closingOf, piecesOf, type StepReport, type Wish } from "./speech.ts";

/** A model that answers by what it is shown, at a pace, and so the same in each of a process's lives. */
export class AnsweringModel implements Model {
  readonly name = "test:answering";
  readonly #script = new ScriptedModel((messages) => turnTo(messages));
  readonly #paceMs: number;

  constructor(paceMs: number) {
    this.#paceMs = paceMs;
  }

  async *turn(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    for await (const event of this.#script.turn(request, signal)) {
      await sleep(this.#paceMs, undefined, { signal });
      yield event;
    }
  }
}

/** A plan for what the user wishes, and then what came of it. */
function turnTo(messages: readonly ModelMessage[]): ScriptedTurn {
  const last = messages.at(-1);
  if (last?.role === "tool") {
    const { steps } = JSON.parse(last.outcomes[0]?.text ?? "{}") as { steps: StepReport[] };
    return { text: piecesOf(closingOf(steps)) };
  }
  const { agents, request } = JSON.parse(last?.role === "user" ? last.text : "{}") as Wish;
  return { calls: [plan("p", ...agents.map((agent, n) => ({ id: `${n}`, agent, request })))] };
}
