/** What an agent says to a request: always the same, with characters that can be cut in half. */
export function speechOf(agent: string, request: string): string {
  const words = Array.from({ length: 20 }, (_, n) => `${agent}-${n} 🙂é`);
  return `${request}: ${words.join(" ")}.`;
}

/** What else an agent brings, beside its words. */
export function factsOf(agent: string): { readonly [name: string]: string } {
  return { agent };
}

/** All that an agent brings, as the model is told. */
export function resultOf(agent: string, speech: string): string {
  return `${speech}\n\n${JSON.stringify(factsOf(agent))}`;
}

/** A text in small pieces, cut anywhere. */
export function piecesOf(text: string): string[] {
  return Array.from({ length: Math.ceil(text.length / 11) }, (_, n) => text.slice(n * 11, n * 11 + 11));
}

/** What a model is told to make of it: whom to ask, and what. */
export interface Wish {
  readonly agents: readonly string[];
  readonly request: string;
}

/** How a plan ended, as the model is told. */
export interface StepReport {
  readonly agent: string;
  readonly state: string;
  readonly result: string;
}

/** What the model says to what several agents brought. */
export function closingOf(steps: readonly StepReport[]): string {
  return `In short: ${steps.map(({ agent, state, result }) => `${agent} ${state}: ${result}`).join(" | ")}`;
}
