import { fillArguments } from "./fill-arguments.ts";
import type { Step } from "./steps.ts";
import { stem, words } from "./tokenise.ts";
import { ToolIndex } from "./tool-index.ts";
import { isVerb } from "./vocabulary.ts";

const NEVER_MIND = /^\s*(?:never ?mind|cancel|stop|forget (?:it|that)|no,? thanks?)\b/i;

/**
 * Where our last words were a question, the steps that waited for its answer, with the answer; "dropped" where the
 * user gave them up, and undefined where nothing was asked or the user speaks of something else.
 */
export function takenUp(
  asked: readonly Step[],
  reply: string,
  index: ToolIndex,
): readonly Step[] | "dropped" | undefined {
  const [first, ...others] = asked;
  if (first === undefined) return undefined;
  if (NEVER_MIND.test(reply)) return "dropped";
  if (first.rivals.length > 0) {
    const meant = whichOf([first.tool, ...first.rivals], reply);
    return meant === undefined
      ? undefined
      : [{ ...first, tool: meant, rivals: [] }, ...others].map(renumbered);
  }
  const isNewRequest = words(reply).map(stem).some(isVerb) && index.rank(reply).length > 0;
  const before = first.replies ?? [];
  const missingWith = (given: readonly string[]) =>
    fillArguments(first.tool, { sentence: first.text, replies: given }).missing.length;
  const replies = [...before, reply];
  if (isNewRequest || missingWith(replies) >= missingWith(before)) return undefined;
  return [{ ...first, replies }, ...others].map(renumbered);
}

/** The steps that were done are not among these, so the numbers begin again and nothing waits for what is over. */
function renumbered(step: Step, position: number, all: readonly Step[]): Step {
  const after = step.after.flatMap((number) => {
    const index = all.findIndex((other) => other.number === number);
    return index === -1 ? [] : [index + 1];
  });
  return { ...step, number: position + 1, after };
}

function whichOf(tools: readonly Step["tool"][], reply: string): Step["tool"] | undefined {
  const ordinal = ["first", "second", "third", "fourth"].findIndex((word) => words(reply).includes(word));
  return tools[ordinal] ?? new ToolIndex(tools).rank(reply)[0]?.tool;
}
