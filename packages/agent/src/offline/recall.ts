import type { ModelMessage, ToolCall, ToolOutcome } from "../models/model.ts";
import { isSchema } from "./json-schema.ts";
import { stem, words } from "./tokenise.ts";

/** A call that was made, and what came of it; no outcome means that it was never told. */
export interface Done {
  readonly call: ToolCall;
  readonly outcome: ToolOutcome | undefined;
  /** The outcome as JSON where it is, else as text. */
  readonly value: unknown;
}

/** What the user said once, and what followed. */
export interface Exchange {
  readonly request: string;
  readonly done: readonly Done[];
  readonly answer: string;
}

/** The conversation, one exchange for each time the user spoke. */
export function exchangesOf(messages: readonly ModelMessage[]): Exchange[] {
  const starts = messages.flatMap(({ role }, index) => (role === "user" ? [index] : []));
  return starts.map((start, position) => exchangeOf(messages.slice(start, starts[position + 1])));
}

function exchangeOf(messages: readonly ModelMessage[]): Exchange {
  const outcomes = new Map(
    messages.flatMap((message) =>
      message.role === "tool" ? message.outcomes.map((it) => [it.id, it] as const) : [],
    ),
  );
  const assistant = messages.filter((message) => message.role === "assistant");
  const done = assistant.flatMap(({ calls }) =>
    calls.map((call) => {
      const outcome = outcomes.get(call.id);
      return { call, outcome, value: readValue(outcome?.text ?? "") };
    }),
  );
  const [first] = messages;
  const answer = assistant.map(({ text }) => text).join("\n");
  return { request: first?.role === "user" ? first.text : "", done, answer };
}

/** A text as the JSON that it is, or as itself. */
export function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim();
  }
}

/** Whether a sentence points at something that was said before it. */
export function pointsBack(sentence: string): boolean {
  return /\b(it|its|them|they|these|those|that|this|both|each|there|same|result|results|answer)\b/i.test(
    sentence,
  );
}

/** The numbers that were found so far, oldest first. */
export function earlierNumbers(exchanges: readonly Exchange[]): number[] {
  return exchanges.flatMap(({ done, answer }) => {
    const found = succeeded(done).flatMap(({ value }) => numberIn(value) ?? []);
    if (found.length > 0) return found;
    const last = answer.match(/(?<![\w.])-?\d+(?:\.\d+)?(?!\w)/g)?.at(-1);
    return last === undefined ? [] : [Number(last)];
  });
}

function numberIn(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (isSchema(value)) {
    const numbers = Object.values(value).filter((member) => typeof member === "number");
    const { result, value: inner } = value;
    return (
      [result, inner].find((member) => typeof member === "number") ??
      (numbers.length === 1 ? numbers[0] : undefined)
    );
  }
  if (typeof value !== "string") return undefined;
  const numbers = value.match(/(?<![\w.])-?\d+(?:\.\d+)?(?!\w)/g) ?? [];
  const only = numbers.length === 1 || /=/.test(value) ? numbers.at(-1) : undefined;
  return only === undefined ? undefined : Number(only);
}

/**
 * What an earlier result, or an earlier call, says about a property of this name; several values where a list was
 * found and all of it is meant. The newest counts.
 */
export function recalledValues(property: string, done: readonly Done[]): unknown[] {
  for (const { call, value } of succeeded(done).toReversed()) {
    const found = membersNamed(property, value);
    if (found.length > 0) return found;
    const argument = call.arguments?.[property];
    if (argument !== undefined) return [argument];
  }
  const scalar = succeeded(done).at(-1)?.value;
  return typeof scalar === "number" || (typeof scalar === "string" && scalar.length < 200) ? [scalar] : [];
}

function succeeded(done: readonly Done[]): Done[] {
  return done.filter(({ outcome }) => outcome !== undefined && !outcome.failed);
}

function membersNamed(property: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => membersNamed(property, item));
  if (!isSchema(value)) return [];
  const wanted = words(property).map(stem);
  const own = Object.entries(value).filter(([, member]) => typeof member !== "object");
  const exact = own.find(([name]) => words(name).map(stem).join() === wanted.join());
  // "ticket_id" may be a ticket's "id", and "application" an application's "name".
  const loose =
    exact ??
    own.find(([name]) => name === wanted.at(-1)) ??
    own.find(([name]) => /^(name|id|key)$/.test(name));
  if (loose !== undefined) return [loose[1]];
  return Object.values(value).flatMap((member) =>
    typeof member === "object" ? membersNamed(property, member) : [],
  );
}
