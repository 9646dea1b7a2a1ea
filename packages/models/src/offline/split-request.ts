import { stem, words } from "./tokenise.ts";
import { isOnlyVerb, isVerb } from "./vocabulary.ts";

/** One thing that a request asks for. */
export interface Clause {
  readonly text: string;
  /** Clauses of one stage wait for none of their own; each stage waits for the one before. */
  readonly stage: number;
}

/** Decides what a request asks for by itself. */
export interface Tasks {
  readonly isTask: (text: string) => boolean;
  /** Whether two parts are for different doers, so that nobody could do both. */
  readonly areApart?: (left: string, right: string) => boolean;
}

/** Each joint costs a look at all tools. */
const MOST_JOINTS = 20;
const LIST_ITEM = /^\s*(?:[-*•]|\d+[.)])\s+/;
const IN_ORDER =
  /(?:,\s*|(?<!\s)\s*)\b(?:and\s+)?(?:then|after that|afterwards?|finally|lastly|once (?:that|this|it)(?: is|'s)? done)\b,?\s*/gi;
const JOINED = /,\s*(?:and|but|plus)?\s+|(?<!\s)\s+(?:and|plus|as well as)\s+(?:also\s+)?/gi;
const ORDERED_START =
  /^(?:also|besides|additionally|first(?:ly)?|second(?:ly)?|third(?:ly)?|next|then|finally|lastly|after that|afterwards),?\s+/i;
const BESIDES_START = /^(?:also|besides|additionally|in addition|apart from that)\b/i;
const AT_ONCE =
  /(?:,\s*|(?<!\s)\s*)\b(?:simultaneously|concurrently|in parallel|at the same time|at once|side by side)\b(?=[\s.,!?]*$)/i;
const LATER_START = /^(?:second|third|next|then|finally|lastly|after that|afterwards)/i;

/**
 * Takes a request apart: lists, sentences, "first … then …", and "X and Y" where both are tasks of their own or for
 * different doers. A sentence that is no task belongs to the one before it: it says more about it.
 */
export function splitRequest(request: string, tasks: Tasks): Clause[] {
  let stage = 0;
  const clauses = sentencesOf(request).flatMap((sentence) => {
    if (BESIDES_START.test(sentence)) stage = 0;
    return inOrder(sentence).flatMap((part, index) => {
      if (index > 0 || LATER_START.test(sentence)) stage += 1;
      const own = stage;
      const [first = "", ...others] = joined(part, tasks).map((text) =>
        text.replace(ORDERED_START, "").trim(),
      );
      const texts = [first, ...others.map((text) => withLead(text, first).replace(AT_ONCE, ""))];
      return texts.map((text) => ({ text, stage: own, isTask: others.length > 0 || tasks.isTask(text) }));
    });
  });
  return merged(clauses);
}

function sentencesOf(request: string): string[] {
  const lines = request.split(/\r?\n/).filter((line) => line.trim() !== "");
  const items = lines.filter((line) => LIST_ITEM.test(line));
  if (items.length > 1) return items.map((line) => line.replace(LIST_ITEM, "").trim());
  return lines.flatMap((line) => cut(line, /(?<=[.!?;])\s+/g));
}

function inOrder(sentence: string): string[] {
  return /^\s*if\b/i.test(sentence) ? [sentence] : cut(sentence, IN_ORDER);
}

function joined(part: string, tasks: Tasks): string[] {
  for (const { index, text } of placesOf(part, JOINED).slice(0, MOST_JOINTS)) {
    const left = part.slice(0, index);
    const right = part.slice(index + text.length);
    const isJoint = (tasks.isTask(left) && tasks.isTask(right)) || tasks.areApart?.(left, right);
    if (isJoint) return [left, ...joined(right, tasks)];
  }
  return [part];
}

/** "Check the doors and the windows" says once what is to be done with both. */
function withLead(text: string, first: string): string {
  const isWhole = words(text).map(stem).some(isOnlyVerb) || ASKING.test(text);
  const order = /^(?:please\s+|(?:can|could|would) you\s+(?:please\s+)?)?(\p{L}+)/iu.exec(first)?.[1] ?? "";
  const lead = ASKING.exec(first)?.[0] ?? (isVerb(stem(order.toLowerCase())) ? order : "");
  return isWhole || lead === "" ? text : `${lead.trim()} ${text}`;
}

const ASKING =
  /^(?:what|which|who|whose|when|where|why|how)\b(?:\s+(?:is|are|was|were|does|do|did)\b|['’]s\b)?/i;

function merged(parts: readonly (Clause & { readonly isTask: boolean })[]): Clause[] {
  const tasks: Clause[] = [];
  let before = "";
  for (const { text, stage, isTask } of parts.filter((part) => part.text !== "")) {
    const last = tasks.at(-1);
    if (isTask) {
      tasks.push({ text: `${before}${text}`, stage });
      before = "";
    } else if (last === undefined) before = `${before}${text} `;
    else tasks[tasks.length - 1] = { ...last, text: `${last.text} ${text}` };
  }
  return tasks;
}

function cut(text: string, at: RegExp): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const { index, text: found } of placesOf(text, at)) {
    pieces.push(text.slice(from, index));
    from = index + found.length;
  }
  return [...pieces, text.slice(from)].map((piece) => piece.trim()).filter((piece) => piece !== "");
}

/** Where a pattern is found outside quotation marks. */
function placesOf(text: string, pattern: RegExp): { index: number; text: string }[] {
  const masked = text.replace(/"[^"]*"|“[^“”]*”|`[^`]*`|(?<!\w)'[^']*'(?!\w)/g, (quoted) =>
    "\0".repeat(quoted.length),
  );
  return [...masked.matchAll(pattern)].map((found) => ({ index: found.index, text: found[0] }));
}
