import type { Json } from "../../protocol/model.ts";
import type { OddCall } from "./odd-agent.ts";

type Answer = (call: OddCall) => unknown;

/** Answers each method with the next of its answers; the last one is used again, and without any it is unknown. */
export function script(answers: Readonly<Record<string, readonly Answer[]>>): Answer {
  return (call) => {
    const own = answers[call.method] ?? [refuses(-32601)];
    return own[Math.min(call.before, own.length - 1)]?.(call);
  };
}

/** Answers with a result. */
export function answers(result: Json): Answer {
  return (call) => call.result(result);
}

/** Answers with an error. */
export function refuses(code: number): Answer {
  return (call) => call.error(code);
}

/** A stream of these events that ends as it should. */
export function ends(...events: readonly Json[]): Answer {
  return (call) => opened(call, events).end();
}

/** A stream of these events whose connection then breaks. */
export function drops(...events: readonly Json[]): Answer {
  return (call) => opened(call, events).drop();
}

/** A stream of these events that then falls silent. */
export function hangs(...events: readonly Json[]): Answer {
  return (call) => void opened(call, events);
}

/** The same events with cursors, counted from this one. */
export function numbered(first: number, ...events: readonly Json[]): Json[] {
  return events.map((event, place) => ({ event, cursor: String(first + place) }));
}

function opened(call: OddCall, events: readonly Json[]) {
  const stream = call.stream();
  for (const it of events) {
    const numbered = typeof it === "object" && it !== null && "cursor" in it ? it : { event: it };
    stream.send(numbered.event ?? null, numbered.cursor === undefined ? undefined : String(numbered.cursor));
  }
  return stream;
}
