import type { ToolDefinition } from "../models/model.ts";
import { type Arithmetic, arithmeticIn } from "./arithmetic.ts";
import { fillArguments } from "./fill-arguments.ts";
import { propertiesOf, typeOf } from "./json-schema.ts";
import { type Exchange, earlierNumbers, pointsBack, rememberedIn } from "./recall.ts";
import type { RankedTool, ToolIndex } from "./tool-index.ts";

const MOST_CANDIDATES = 8;
const AS_GOOD = 0.97;

/** The tools that a sentence may mean: one, or several between which it does not decide. */
export type Choice = readonly [ToolDefinition, ...ToolDefinition[]];

/** Chooses by the words that sentence and tool share, and by how much of what the tool needs the sentence gives. */
export function chooseTool(
  sentence: string,
  index: ToolIndex,
  earlier: readonly Exchange[],
): Choice | undefined {
  const arithmetic = expectedArithmetic(sentence, earlier);
  const back = pointsBack(sentence);
  const remembered = back ? rememberedIn(earlier) : [];
  const ranked = index.rank(sentence, arithmetic).slice(0, MOST_CANDIDATES);
  const fitting = (
    ranked.length > 0 ? ranked : index.harmless(sentence).filter((tool) => isSpelledOut(tool, sentence))
  )
    .flatMap(({ tool, score }) => {
      const { missing, given } = fillArguments(tool, { sentence, arithmetic, earlier: remembered });
      // A calculation that a tool can only take in part would come out as another.
      if (arithmetic !== undefined && missing.length > 0) return [];
      return [{ tool, fit: score * (1 + 0.2 * given) * (back ? 1 : 0.5 ** missing.length) }];
    })
    .sort((a, b) => b.fit - a.fit);
  const [best] = fitting;
  if (best === undefined) return undefined;
  const rivals = fitting.slice(1).filter(({ fit }) => fit >= best.fit * AS_GOOD);
  return [best.tool, ...rivals.map(({ tool }) => tool)];
}

/** "How many feet are 3 m?" names no tool, and still says all that one of them needs, in its own choices. */
function isSpelledOut({ tool }: RankedTool, sentence: string): boolean {
  const required = propertiesOf(tool.inputSchema).filter((property) => property.required);
  const choices = required.filter(({ schema }) => Array.isArray(schema.enum));
  const isPlain = required.every(({ schema }) => Array.isArray(schema.enum) || typeOf(schema) !== "string");
  return isPlain && choices.length > 1 && fillArguments(tool, { sentence }).missing.length === 0;
}

/** Earlier numbers may only come with the step before: until then any number stands for them. */
function expectedArithmetic(sentence: string, earlier: readonly Exchange[]): Arithmetic | undefined {
  const known = earlierNumbers(earlier);
  const expected = /\d|\btogether\b|\bup\b/i.test(sentence) ? [1, 1, ...known] : known;
  return arithmeticIn(sentence, expected);
}
