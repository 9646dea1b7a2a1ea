/** One thing that a request asks for. */
export interface Clause {
  readonly text: string;
  /** Clauses of one stage wait for none of their own; each stage waits for the one before. */
  readonly stage: number;
}

/** Each joint costs a look at all tools. */
const MOST_JOINTS = 20;
const LIST_ITEM = /^\s*(?:[-*•]|\d+[.)])\s+/;
const IN_ORDER =
  /,?\s*\b(?:and\s+)?(?:then|after that|afterwards?|finally|lastly|once (?:that|this|it)(?: is|'s)? done)\b,?\s*/gi;
const JOINED = /,\s*(?:and|but|plus)?\s+|\s+(?:and|plus|as well as)\s+(?:also\s+)?/gi;
const ORDERED_START =
  /^(?:also|besides|additionally|first(?:ly)?|second(?:ly)?|third(?:ly)?|next|then|finally|lastly|after that|afterwards),?\s+/i;
const BESIDES_START = /^(?:also|besides|additionally|in addition|apart from that)\b/i;
const LATER_START = /^(?:second|third|next|then|finally|lastly|after that|afterwards)/i;

/**
 * Takes a request apart: lists, sentences, "first … then …", and "X and Y" where both are tasks of their own, which
 * `isTask` decides. A sentence that is none belongs to the task before it: it says more about it.
 */
export function splitRequest(request: string, isTask: (text: string) => boolean): Clause[] {
  let stage = 0;
  const clauses = sentencesOf(request).flatMap((sentence) => {
    if (BESIDES_START.test(sentence)) stage = 0;
    return inOrder(sentence).flatMap((part, index) => {
      if (index > 0 || LATER_START.test(sentence)) stage += 1;
      const own = stage;
      return joined(part, isTask).map((text) => ({
        text: text.replace(ORDERED_START, "").trim(),
        stage: own,
      }));
    });
  });
  return merged(clauses, isTask);
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

function joined(part: string, isTask: (text: string) => boolean): string[] {
  for (const { index, text } of placesOf(part, JOINED).slice(0, MOST_JOINTS)) {
    const left = part.slice(0, index);
    const right = part.slice(index + text.length);
    if (isTask(left) && isTask(right)) return [left, ...joined(right, isTask)];
  }
  return [part];
}

function merged(clauses: readonly Clause[], isTask: (text: string) => boolean): Clause[] {
  const tasks: Clause[] = [];
  let before = "";
  for (const clause of clauses.filter(({ text }) => text !== "")) {
    const last = tasks.at(-1);
    if (isTask(clause.text)) {
      tasks.push({ ...clause, text: `${before}${clause.text}` });
      before = "";
    } else if (last === undefined) before = `${before}${clause.text} `;
    else tasks[tasks.length - 1] = { ...last, text: `${last.text} ${clause.text}` };
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
  const masked = text.replace(/"[^"]*"|“[^”]*”|`[^`]*`|(?<!\w)'[^']*'(?!\w)/g, (quoted) =>
    "\0".repeat(quoted.length),
  );
  return [...masked.matchAll(pattern)].map((found) => ({ index: found.index, text: found[0] }));
}
