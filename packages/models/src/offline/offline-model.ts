import { setImmediate as nextTurnOfLoop, setTimeout as pause } from "node:timers/promises";
import type { Model, ModelEvent, ModelRequest, ToolCall } from "../model.ts";
import { decide } from "./decide.ts";
import type { Decision } from "./decision.ts";

const MOST_INPUT_PIECES = 1_000;

/**
 * The built-in model: it needs no network and no key, says that it is no language model, and does real work with
 * whatever tools it is given. The same conversation always gets the same turn; at so many tokens a second, if a pace is given.
 */
export function offlineModel(pace = Number.POSITIVE_INFINITY): Model {
  return { name: "offline:parley", turn: (request, signal) => turn(request, signal, pace) };
}

async function* turn(request: ModelRequest, signal: AbortSignal, pace: number): AsyncGenerator<ModelEvent> {
  signal.throwIfAborted();
  const begun = performance.now();
  const decision = decide(request);
  const events = eventsOf(decision, request.thinking === true);
  const allowed = events.slice(0, request.maxOutputTokens);
  for (const [at, event] of allowed.entries()) {
    // Between two pieces others may run: a reader, or whoever aborts.
    await nextTurnOfLoop();
    // By the clock and not by the pause: pauses are never as short as they should be.
    const early = begun + (at * 1_000) / pace - performance.now();
    if (early > 0) await pause(early, undefined, { signal }).catch(() => signal.throwIfAborted());
    signal.throwIfAborted();
    yield event;
  }
  const whole = decision.kind === "call" ? "tool-calls" : "stop";
  const usage = { inputTokens: tokensIn(request), outputTokens: allowed.length, cost: 0 };
  yield { type: "end", reason: allowed.length < events.length ? "length" : whole, usage };
}

function eventsOf(decision: Decision, thinking: boolean): ModelEvent[] {
  const thoughts = thinking
    ? pieces(thoughtOf(decision)).map((text) => ({ type: "thinking" as const, text }))
    : [];
  return decision.kind === "call"
    ? [...thoughts, ...decision.calls.flatMap(written)]
    : [...thoughts, ...pieces(decision.text).map((text) => ({ type: "text" as const, text }))];
}

/** A call as it is written: its arguments piece by piece, then the whole. */
function written(call: ToolCall): ModelEvent[] {
  const { id, tool, text } = call;
  const all = pieces(text);
  // A long text that is only handed on would take longer to show than to use.
  const shown = [...all.slice(0, MOST_INPUT_PIECES), all.slice(MOST_INPUT_PIECES).join("")];
  return [
    ...shown
      .filter((piece) => piece !== "")
      .map((piece) => ({ type: "tool-input" as const, id, tool, text: piece })),
    { type: "tool-call", call },
  ];
}

/** What the decision really rests on. */
function thoughtOf(decision: Decision): string {
  if (decision.kind === "say")
    return decision.asked.length > 0
      ? "Something is missing: I ask for it."
      : "All that I can do is done: I answer.";
  const steps = decision.steps.map(({ text, tool }) => `“${text}” fits ${tool.name} best.`);
  return `${steps.join(" ")} Next I call ${decision.calls.map(({ tool }) => tool).join(", ")}.`;
}

/** A text in pieces like a language model's tokens: short words whole, long ones in parts, spaces in front. */
export function pieces(text: string): string[] {
  return text.match(/(?<!\s)(?:\s*\S{1,6}|\s+$)/gu) ?? [];
}

function tokensIn({ system, messages, tools }: ModelRequest): number {
  return Math.ceil((system.length + JSON.stringify(messages).length + JSON.stringify(tools).length) / 4);
}
