import { stem } from "./tokenise.ts";

/** Verbs that people and tools' authors use for one another, for deeds that change something. */
const changing = [
  "create add make new open file register insert write generate build start",
  "delete remove drop erase clear destroy discard",
  "update change set edit modify rename adjust alter add insert append",
  "send post publish notify mail email message tell",
  "run execute start launch trigger invoke deploy sync apply",
  "move rename",
  "stop cancel halt abort end close finish resolve",
].map(stems);

/** The same for deeds that leave everything as it is. */
const harmless = [
  "show list get fetch read view display find see describe retrieve look check lookup print return know report query",
  "search find look query grep match",
  "convert translate transform change turn",
  "calculate compute evaluate solve work",
  "summarise summarize explain describe outline",
  "compare diff contrast",
].map(stems);

/** What is done with two things "between" which one looks. */
export const comparing: readonly string[] = stems("compare diff difference");

/** Orders that nothing can be meant by which only looks. */
const ordersChange = new Set(
  stems(
    "add insert append write move rename delete remove drop erase clear destroy discard update edit modify rename send post publish",
  ),
);

const searching = stems("search find look grep");
const alsoNouns = new Set(
  stems("file message mail email post end build report view query change check work"),
);

const synonyms = new Map<string, Set<string>>();
for (const group of [...changing, ...harmless]) {
  for (const verb of group) synonyms.set(verb, new Set([...(synonyms.get(verb) ?? []), ...group]));
}

/** Whether a stem is a verb of doing, as requests begin with. */
export function isVerb(stemmed: string): boolean {
  return synonyms.has(stemmed);
}

/** Whether a stem is a verb and never a thing: "send", but not "mail". */
export function isOnlyVerb(stemmed: string): boolean {
  return synonyms.has(stemmed) && !alsoNouns.has(stemmed);
}

/** Whether a stem is a verb for looking for something. */
export function isSearching(stemmed: string): boolean {
  return searching.includes(stemmed);
}

/** Other verbs for the same deed, as stems, without the verb itself. */
export function otherVerbs(stemmed: string): string[] {
  return [...(synonyms.get(stemmed) ?? [])].filter((verb) => verb !== stemmed);
}

/** Whether a verb says what is done and not only that something is: "sync" and "diff", but not "show". */
export function isTelling(stemmed: string): boolean {
  return isOnlyVerb(stemmed) && !harmless[0]?.includes(stemmed);
}

/** Whether a verb says only that something is looked at, and not how: "show", "list", "get". */
export function isPlainlyLooking(stemmed: string): boolean {
  return harmless[0]?.includes(stemmed) === true && !alsoNouns.has(stemmed);
}

/** What is asked for: the stems of a sentence, and whether it only asks. */
export interface Spoken {
  readonly stems: ReadonlySet<string>;
  /** "Which are out of sync?" orders nothing, whatever its verbs. */
  readonly isQuestion: boolean;
  /** "Who wrote this?" */
  readonly asksWho: boolean;
  readonly namesFile: boolean;
}

/** Whether a tool of this name would change something that was not asked for. */
export function changesUnasked(name: Iterable<string>, { stems: spoken, isQuestion }: Spoken): boolean {
  // The first verb of a name says what the tool does; the others are often nouns, as in "create_report".
  const verb = [...name].find(isOnlyVerb);
  const deeds = changing.filter((group) => group.includes(verb ?? ""));
  return deeds.length > 0 && (isQuestion || !deeds.some((group) => group.some((other) => spoken.has(other))));
}

/** Whether a sentence orders a change, and a tool of this name only looks. */
export function onlyLooks(name: Iterable<string>, { stems: spoken, isQuestion }: Spoken): boolean {
  const [order = ""] = spoken;
  const verb = [...name].find(isOnlyVerb) ?? "";
  const looks = harmless.slice(0, 2).some((group) => group.includes(verb));
  return !isQuestion && ordersChange.has(order) && looks && !changing.some((group) => group.includes(verb));
}

/** Words for what a calculator does, as stems, and those for each operator. */
export const arithmeticStems: readonly string[] =
  "arithmetic math mathematics calculate calculator calculation compute evaluate expression formula"
    .split(" ")
    .map(stem);

/** The stems that name each operator; the first of each group is the plainest. */
export const operatorStems: Readonly<Record<string, readonly string[]>> = {
  "+": stems("add plus sum addition total"),
  "-": stems("subtract minus subtraction difference"),
  "*": stems("multiply times product multiplication"),
  "/": stems("divide division quotient divided"),
  "^": stems("power exponent exponentiation pow"),
  "%": stems("modulo modulus remainder mod"),
};

/** Numbers that are written as words. */
export const numberWords: Readonly<Record<string, number>> = Object.fromEntries(
  "zero one two three four five six seven eight nine ten eleven twelve"
    .split(" ")
    .map((word, value) => [word, value]),
);

/** Words for a day that only a clock could turn into a date. */
export const relativeDays =
  /^(today|tomorrow|yesterday|tonight|currently|week|weekend|month|year|morning|evening|day|days)$/;

function stems(text: string): string[] {
  return text.split(" ").map(stem);
}
