import type { Model, ModelEvent, ModelRequest } from "../model.ts";

export interface Collected {
  readonly events: readonly ModelEvent[];
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly Extract<ModelEvent, { type: "tool-call" }>["call"][];
  readonly end: Extract<ModelEvent, { type: "end" }> | undefined;
  readonly error: unknown;
}

/** Everything that came of a turn, its error included. */
export async function collected(
  model: Model,
  request: Partial<ModelRequest>,
  signal: AbortSignal = new AbortController().signal,
): Promise<Collected> {
  const events: ModelEvent[] = [];
  let error: unknown;
  try {
    const whole = { system: "", messages: [], tools: [], ...request };
    for await (const event of model.turn(whole, signal)) events.push(event);
  } catch (thrown) {
    error = thrown;
  }
  const textOf = (type: "text" | "thinking") =>
    events.map((event) => (event.type === type ? event.text : "")).join("");
  return {
    events,
    text: textOf("text"),
    thinking: textOf("thinking"),
    calls: events.flatMap((event) => (event.type === "tool-call" ? [event.call] : [])),
    end: events.find((event) => event.type === "end"),
    error,
  };
}
