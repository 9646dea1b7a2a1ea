import type { ToolDefinition } from "../model.ts";
import { type Arithmetic, arithmeticIn } from "./arithmetic.ts";
import { type Filled, fillArguments } from "./fill-arguments.ts";
import { propertiesOf, typeOf } from "./json-schema.ts";
import { lookUpAmong, missingFile } from "./look-up.ts";
import { oncePer } from "./once-per.ts";
import { type Exchange, earlierNumbers, pointsBack, rememberedIn } from "./recall.ts";
import { contentStems, stem, words } from "./tokenise.ts";
import { MAX_CANDIDATES, type RankedTool, type ToolIndex } from "./tool-index.ts";
import { isOnlyVerb, isPlainlyLooking, isVerb } from "./vocabulary.ts";
import { addressedIn, isCalled, namesFile } from "./whole-request.ts";

const AS_GOOD = 0.97;
/** The words of a description that say what it tells of. */
const OPENING = 5;
const READING = new Set(["read", "open", "view", "show", "cat"]);
const ASKS_FOR_CONTENT =
  /^\s*(?:please\s+|(?:can|could) you\s+)?(?:read|open|view|show|cat|print|check)\b|^\s*what(?:['’]s|\s+(?:is|are|does|do|did|was|were))\b/i;
const MEDIA = new Set(contentStems("media image audio video"));
const MEDIA_WORDS =
  /\b(?:media|image|picture|photo|audio|sound|video)s?\b|\.(?:png|jpe?g|gif|webp|svg|mp[34]|wav|ogg)\b/i;

/** "Add 3 to it", "sum them up", "multiply both": what is meant may not have been found yet. */
const EXPECTS_NUMBERS =
  /\d|\btogether\b|\bup\b|\b(?:them|these|those|both|everything)(?:\s+(?:all|please))*[\s.!?]*$/i;

/** The tools that a sentence may mean: one, or several between which it does not decide. */
export type Choice = readonly [ToolDefinition, ...ToolDefinition[]];

/** Chooses by the words that sentence and tool share, and by how much of what the tool needs the sentence gives. */
export function chooseTool(
  sentence: string,
  index: ToolIndex,
  earlier: readonly Exchange[],
): Choice | undefined {
  const addressed = addressedIn(sentence, index.tools);
  if (addressed) return [addressed];
  const known = earlierNumbers(earlier);
  const given = arithmeticIn(sentence, known);
  // Earlier numbers may only come with the step before: until then any number stands for them.
  const expected =
    given ?? (EXPECTS_NUMBERS.test(sentence) ? arithmeticIn(sentence, [1, 1, ...known]) : undefined);
  const choice = chooseFor(sentence, index, { earlier, arithmetic: expected });
  return (
    choice ?? (expected === given ? undefined : chooseFor(sentence, index, { earlier, arithmetic: given }))
  );
}

interface Known {
  readonly earlier: readonly Exchange[];
  readonly arithmetic: Arithmetic | undefined;
}

function chooseFor(sentence: string, index: ToolIndex, { earlier, arithmetic }: Known): Choice | undefined {
  const back = pointsBack(sentence);
  const remembered = back ? rememberedIn(earlier) : [];
  const ranked = index.rank(sentence, arithmetic).slice(0, MAX_CANDIDATES);
  const fitting = (
    ranked.length > 0
      ? ranked
      : index
          .harmless(sentence)
          .filter((one) => isSpelledOut(one, sentence) || readsFile(one, sentence, index))
  )
    .flatMap(({ tool, score }) => {
      const filled = fillArguments(tool, { sentence, arithmetic, earlier: remembered });
      const { missing, given } = filled;
      // A calculation that a tool can only take in part would come out as another.
      if (arithmetic !== undefined && missing.length > 0) return [];
      return [
        {
          tool,
          fit:
            score *
            plainness(tool, sentence) *
            agreement(tool, sentence) *
            (1 + 0.2 * given) *
            (back ? 1 : lacking(filled, index.unexplained(sentence, tool))),
        },
      ];
    })
    .sort((a, b) => b.fit - a.fit);
  const [best] = fitting;
  if (best === undefined) return undefined;
  const rivals = fitting
    .slice(1)
    .filter(({ tool, fit }) => fit >= best.fit * AS_GOOD && !isMoreSpecial(tool, best.tool));
  return plainest([best.tool, ...rivals.map(({ tool }) => tool)]);
}

/** Of tools that fit alike, the only one that just looks is meant: nothing more was said. */
function plainest(choice: Choice): Choice {
  const [only, ...others] = choice.filter(({ name }) => contentStems(name).some(isPlainlyLooking));
  return only === undefined || others.length > 0 ? choice : [only];
}

/** "How many feet are 3 m?" names no tool, and still says all that one of them needs, in its own choices. */
function isSpelledOut({ tool }: RankedTool, sentence: string): boolean {
  const required = propertiesOf(tool.inputSchema).filter((property) => property.required);
  const choices = required.filter(({ schema }) => Array.isArray(schema.enum));
  const isPlain = required.every(({ schema }) => Array.isArray(schema.enum) || typeOf(schema) !== "string");
  return isPlain && choices.length > 1 && fillArguments(tool, { sentence }).missing.length === 0;
}

/**
 * "Which product in stock.csv is cheap?" names no deed, but a file: it has to be read first. "What is in the minutes?"
 * speaks of what may be a file, where one can look which there are.
 */
function readsFile({ tool }: RankedTool, sentence: string, index: ToolIndex): boolean {
  const [property, ...others] = propertiesOf(tool.inputSchema).filter(({ required }) => required);
  const reads = contentStems(tool.name).some((term) => READING.has(term));
  if (
    !reads ||
    property === undefined ||
    others.length > 0 ||
    typeOf(property.schema) !== "string" ||
    !isCalled(property, "path", "file", "filename")
  )
    return false;
  if (namesFile(sentence)) return fillArguments(tool, { sentence }).missing.length === 0;
  const speaksOfSomething = contentStems(sentence).some((term) => !isOnlyVerb(term));
  return ASKS_FOR_CONTENT.test(sentence) && speaksOfSomething && lookUpAmong(index.tools) !== undefined;
}

/** Less for a tool that its author warns of, and for one that is for pictures or folders where none is spoken of. */
function plainness({ name, description }: ToolDefinition, sentence: string): number {
  const isOld = /\bdeprecated\b/i.test(description);
  const isForFolders = /directory|folder/i.test(name) && namesFile(sentence);
  const isForMedia = contentStems(name).some((term) => MEDIA.has(term)) && !MEDIA_WORDS.test(sentence);
  return isOld || isForMedia || isForFolders ? 0.5 : 1;
}

/** Less for each thing that is missing, but little for a file that the sentence may speak of in other words. */
function lacking(filled: Filled, unexplained: readonly string[]): number {
  return missingFile(filled) !== undefined && unexplained.length > 0 ? 0.9 : 0.5 ** filled.missing.length;
}

/** Less for a tool that tells of one where many are asked for, or of many where one is. */
function agreement(tool: ToolDefinition, sentence: string): number {
  const nouns = words(sentence).filter((word) => word.length > 3 && !isVerb(stem(word)));
  const differs = (told: ReadonlySet<string>) =>
    nouns.some((noun) => {
      const isOther = told.has(`${noun}s`) || (noun.endsWith("s") && told.has(noun.slice(0, -1)));
      return isOther && !told.has(noun);
    });
  const { opening, all } = wordsTold(tool);
  return differs(opening) ? 0.7 : differs(all) ? 0.85 : 1;
}

const wordsTold = oncePer(({ description }: ToolDefinition) => {
  const told = words(description);
  return { opening: new Set(told.slice(0, OPENING)), all: new Set(told) };
});

/** Whether one tool's name says all that the other's says, and more: then the plain one is meant. */
function isMoreSpecial({ name }: ToolDefinition, other: ToolDefinition): boolean {
  const own = new Set(contentStems(name));
  const plain = new Set(contentStems(other.name));
  return own.size > plain.size && [...plain].every((term) => own.has(term));
}
