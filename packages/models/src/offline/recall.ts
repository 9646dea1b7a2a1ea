import type { ModelMessage, ToolCall, ToolOutcome } from "../model.ts";
import { GIVEN_AS_FILE } from "../model.ts";
import { type Said, splitBackground } from "./background.ts";
import { isSchema } from "./json-schema.ts";
import { oncePer } from "./once-per.ts";
import { isPlan } from "./plan-call.ts";
import { planResults } from "./plan-results.ts";
import { readValue } from "./read-value.ts";
import { stem, words } from "./tokenise.ts";

const LONGEST_SENTENCE = 500;

/** A call that was made, and what came of it; no outcome means that it was never told. */
export interface Done {
  readonly call: ToolCall;
  readonly outcome: ToolOutcome | undefined;
  /** What the outcome's text holds. */
  readonly value: unknown;
}

/** What the user said once, and what followed. */
export interface Exchange {
  readonly request: string;
  /** What whoever asked had found before, one result each. */
  readonly background: readonly string[];
  /** The calls that did something, those that a plan had made among them. */
  readonly done: readonly Done[];
  readonly plans: readonly Done[];
  readonly answer: string;
}

/** The conversation, one exchange for each time the user spoke, and for each that a request tells of. */
export function exchangesOf(messages: readonly ModelMessage[]): Exchange[] {
  const starts = messages.flatMap(({ role }, index) => (role === "user" ? [index] : []));
  return starts.flatMap((start, position) => exchangesIn(messages.slice(start, starts[position + 1])));
}

function exchangesIn(messages: readonly ModelMessage[]): Exchange[] {
  const outcomes = new Map(
    messages.flatMap((message) =>
      message.role === "tool" ? message.outcomes.map((it) => [it.id, withoutFileNotes(it)] as const) : [],
    ),
  );
  const assistant = messages.filter((message) => message.role === "assistant");
  const calls = assistant.flatMap((turn) =>
    turn.calls.map((call) => {
      const outcome = outcomes.get(call.id);
      return { call, outcome, value: readValue(outcome?.text ?? "") };
    }),
  );
  const plans = calls.filter(({ call }) => isPlan(call));
  const [first] = messages;
  const answer = assistant.map(({ text }) => text).join("\n");
  const { request, said, results } = splitBackground(first?.role === "user" ? withoutFiles(first.text) : "");
  const done = calls.flatMap((one) => (isPlan(one.call) ? stepsDone(one) : [one]));
  return [
    ...said.map((one) => ({ ...one, background: [], done: [], plans: [] })),
    { request, background: results, done, plans, answer },
  ];
}

/** Files come after the words, a line each or with all that they hold: neither is asked for. */
function withoutFiles(text: string): string {
  const shown = text.search(/\n\[[^\n]*, \d+ bytes\]:\n`{3,}\n/);
  const lines = (shown < 0 ? text : text.slice(0, shown)).split("\n");
  while (lines.length > 1 && /^\[.*(?:, \d+ bytes|: \S+)\]$/.test(lines.at(-1) ?? "")) lines.pop();
  return lines.join("\n");
}

/** The user has the files that a tool made; where it said nothing else, their names are what it said. */
function withoutFileNotes(outcome: ToolOutcome): ToolOutcome {
  if (!outcome.text.includes(GIVEN_AS_FILE)) return outcome;
  const said = outcome.text.split("\n").filter((line) => !line.startsWith(GIVEN_AS_FILE));
  return { ...outcome, text: said.join("\n").trim() || outcome.text };
}

/** A plan is no result, but what was done by it is. */
function stepsDone({ call, outcome }: Done): Done[] {
  return (planResults(call, outcome) ?? []).filter(({ skipped }) => !skipped);
}

/** What was said and found, in words, for whoever did not see it. */
export function saidIn(exchanges: readonly Exchange[]): Said[] {
  return exchanges.map(({ request, done, answer }) => ({
    request,
    answer: answer.trim() || done.map(({ outcome }) => outcome?.text.trim() ?? "").join("\n"),
  }));
}

/** Something that was found earlier, and the arguments it was found with. */
export interface Remembered {
  readonly value: unknown;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What was found so far, oldest first: by tools, or in words where the tools' own results are no longer there. */
export function rememberedIn(exchanges: readonly Exchange[]): Remembered[] {
  return exchanges.flatMap(rememberedOf);
}

const rememberedOf = oncePer(({ background, done, answer }: Exchange): Remembered[] => {
  const results = done
    .filter(({ outcome }) => outcome?.failed === false)
    .map(({ call, value }) => ({ value, arguments: call.arguments ?? {} }));
  const told = [...background, done.length > 0 ? "" : answer].filter((text) => text !== "");
  return [...told.map((text) => ({ value: readValue(text), arguments: {} })), ...results];
});

/** Words that only look as if they pointed at something: "what time is it", "this week". */
const POINTING_AT_NOTHING =
  /\b(?:is|was|are|does|will|would)\s+(?:it|there)\b|\bit\s+(?:is|was|will)\b|\bthat\s+(?:the|is|we|i|you)\b|\bthis\s+(?:week|month|year|morning|evening|day)\b/gi;

/** Whether a sentence points at something that was said before it. */
export function pointsBack(sentence: string): boolean {
  const pointing = /\b(it|its|them|they|these|those|that|this|both|each|there|same|result|results|answer)\b/i;
  return pointing.test(sentence.replace(POINTING_AT_NOTHING, " "));
}

/** Whether a sentence makes sense only to who heard the one before: it points back, or goes on from it. */
export function leansBack(sentence: string): boolean {
  return pointsBack(sentence) || GOES_ON.test(sentence) || REPEATS.test(sentence);
}

/** How a sentence begins, or what it says, that goes on from the one before. */
export const GOES_ON =
  /^\s*(?:and|or|but|now|what about|how about|for|in|with|to|from|at)\b|\b(?:same|instead|also|too)\b/i;

/** How one asks for the same once more. */
export const REPEATS = /\b(again|repeat|once more|same thing)\b/i;

/** The numbers that were found so far, oldest first. */
export function earlierNumbers(exchanges: readonly Exchange[]): number[] {
  return rememberedIn(exchanges).flatMap(({ value }) => numberIn(value) ?? []);
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
  if (typeof value !== "string" || value.length > LONGEST_SENTENCE) return undefined;
  // "2+2 = 4" and "The product is 20": what was found stands last.
  const last = value.match(/(?<![\w.])-?\d+(?:\.\d+)?(?!\w)/g)?.at(-1);
  return last === undefined ? undefined : Number(last);
}

/**
 * What an earlier result, or an earlier call, says about a property of this name; several values where a list was
 * found and all of it is meant. The newest counts.
 */
export function recalledValues(property: string, remembered: readonly Remembered[]): unknown[] {
  for (const { value, arguments: args } of remembered.toReversed()) {
    const found = membersNamed(property, value);
    if (found.length > 0) return found;
    if (args[property] !== undefined) return [args[property]];
  }
  const last = remembered.at(-1)?.value;
  return typeof last === "number" || (typeof last === "string" && isValueOf(property, last)) ? [last] : [];
}

/** A sentence is no name; it may be what a message says. */
function isValueOf(property: string, text: string): boolean {
  const forText = words(property).some((word) =>
    /^(body|text|content|message|note|description|comment)$/.test(word),
  );
  return forText || !/\s/.test(text);
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
