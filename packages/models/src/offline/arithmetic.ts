import { stem, words } from "./tokenise.ts";
import { numberWords, operatorStems } from "./vocabulary.ts";

/** A calculation that a sentence asks for. */
export interface Arithmetic {
  readonly expression: string;
  readonly operands: readonly number[];
  /** The one operator between all operands, or undefined where there are several. */
  readonly operator: string | undefined;
}

/** Numbers that earlier answers gave, oldest first, for sentences that only point at them. */
export type EarlierNumbers = readonly number[];

const MOST_CHARACTERS = 1_000;
const NUMBER = String.raw`\d+(?:\.\d+)?`;
/** A number, of which no digit stands before it: looked for from each digit on, a long one would cost its square. */
const FIRST = String.raw`(?<!\d)${NUMBER}`;
const LITERAL = new RegExp(
  String.raw`(?<![-(\s])[-(\s]*${FIRST}[)\s]*(?:(?:\*\*|[-+*/×÷^%]|\bx\b|x(?=\s*\d))[-(\s]*${NUMBER}[)\s]*)+`,
  "i",
);

/** Reads a calculation written in figures ("2*(3+4)") or in words ("multiply it by 3"); undefined where there is none. */
export function arithmeticIn(sentence: string, earlier: EarlierNumbers): Arithmetic | undefined {
  // A calculation is short; a long text has numbers for other reasons.
  return sentence.length > MOST_CHARACTERS ? undefined : (inFigures(sentence) ?? inWords(sentence, earlier));
}

/** What stands between two figures, or beside one, in words, and the same in figures. */
const spokenFigures: readonly (readonly [RegExp, string | ((...found: string[]) => string)])[] = [
  [new RegExp(String.raw`(${FIRST})\s*(?:%|per\s?cent)\s+of\s+(${NUMBER})`, "gi"), "$1 / 100 * $2"],
  [new RegExp(String.raw`\bsquare root of\s+(${NUMBER})`, "gi"), "$1 ^ 0.5"],
  [new RegExp(String.raw`(${FIRST})\s+squared\b`, "gi"), "$1 ^ 2"],
  [new RegExp(String.raw`(${FIRST})\s+cubed\b`, "gi"), "$1 ^ 3"],
  [
    new RegExp(
      String.raw`\b(?:average|mean) of\s+(${NUMBER}(?:(?:,\s*(?:and\s+)?|\s+and\s+)${NUMBER})+)`,
      "gi",
    ),
    (_, list = "") => {
      const numbers = list.match(new RegExp(NUMBER, "g")) ?? [];
      return `(${numbers.join(" + ")}) / ${numbers.length}`;
    },
  ],
  [between("plus"), " + "],
  [between("minus"), " - "],
  [between("times|multiplied by"), " * "],
  [between("divided by"), " / "],
  [between("to the power of"), " ^ "],
];

function between(operator: string): RegExp {
  return new RegExp(String.raw`(?<=[\d)])\s+(?:${operator})\s+(?=[\d(])`, "gi");
}

function inFigures(sentence: string): Arithmetic | undefined {
  const plain = sentence.replace(/\d{4}-\d{2}-\d{2}/g, " ");
  const figures = spokenFigures.reduce(
    (text, [spoken, written]) =>
      typeof written === "string" ? text.replace(spoken, written) : text.replace(spoken, written),
    plain,
  );
  const found = LITERAL.exec(figures)?.[0]?.trim();
  if (found === undefined) return undefined;
  // A number outside what was put into figures belongs to it in a way that is not understood here.
  if (figures !== plain && /\d/.test(figures.replace(found, " "))) return undefined;
  const expression = balanced(
    found
      .replaceAll("×", "*")
      .replaceAll("÷", "/")
      .replace(/(?<=[\d\s)])x(?=[\d\s(])/gi, "*"),
  );
  const operators = new Set(expression.match(/(?<=[\d)]\s{0,9})(?:\*\*|[-+*/^%])/g));
  const operands = (expression.match(new RegExp(NUMBER, "g")) ?? []).map(Number);
  return { expression, operands, operator: operators.size === 1 ? [...operators][0] : undefined };
}

/** Without a bracket that belongs to the sentence and not to the calculation. */
function balanced(expression: string): string {
  const surplus = expression.split("(").length - expression.split(")").length;
  if (surplus > 0) return expression.replace("(".repeat(surplus), "").trim();
  return surplus < 0 ? expression.slice(0, surplus).trim() : expression;
}

function inWords(sentence: string, earlier: EarlierNumbers): Arithmetic | undefined {
  const operator = operatorIn(sentence);
  if (operator === undefined) return undefined;
  const operands = operandsIn(sentence, earlier);
  if (operands.length < 2) return undefined;
  // "subtract 2 from 10" names the second operand first.
  if (operator === "-" && /\bfrom\b/i.test(sentence)) operands.reverse();
  return { expression: operands.join(` ${operator} `), operands, operator };
}

function operatorIn(sentence: string): string | undefined {
  const stems = new Set(words(sentence).map(stem));
  return Object.entries(operatorStems).find(([, names]) => names.some((name) => stems.has(name)))?.[0];
}

/** The operands, in order; none where other things stand between them: "add 2 apples and 3 pears" is no sum. */
function operandsIn(sentence: string, earlier: EarlierNumbers): number[] {
  const parts = sentence.match(/(?<![\w.-])-?\d+(?:\.\d+)?(?![\w-])|[\p{L}\p{N}-]+/gu) ?? [];
  const values = parts.map((part, index) => {
    const value = /^-?\d+(\.\d+)?$/.test(part) ? Number(part) : numberWords[part.toLowerCase()];
    return value === undefined
      ? pointedAt(part.toLowerCase(), parts[index - 1], parts.slice(index + 1), earlier)
      : [value];
  });
  const first = values.findIndex((found) => found.length > 0);
  const last = values.findLastIndex((found) => found.length > 0);
  const isClean = parts
    .slice(first, last)
    .every((part, index) => (values[first + index]?.length ?? 0) > 0 || isConnector(part));
  return isClean ? values.flat() : [];
}

function isConnector(word: string): boolean {
  const isOperator = Object.values(operatorStems).some((names) => names.includes(stem(word.toLowerCase())));
  return isOperator || /^(and|by|to|from|with|over|the|result|answer|number|of)$/i.test(word);
}

function pointedAt(
  word: string,
  before: string | undefined,
  after: readonly string[],
  earlier: EarlierNumbers,
): readonly number[] {
  if (/^(it|that|this)$/.test(word)) return earlier.slice(-1);
  if (/^(result|answer|number)$/.test(word)) return before?.toLowerCase() === "the" ? earlier.slice(-1) : [];
  if (!/^(them|these|those|both|they|everything)$/.test(word)) return [];
  return word === "everything" || after.includes("all") ? earlier : earlier.slice(-2);
}
