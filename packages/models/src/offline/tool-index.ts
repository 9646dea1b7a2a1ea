import type { ToolDefinition } from "../model.ts";
import { type Arithmetic, arithmeticIn } from "./arithmetic.ts";
import { bm25, type TermWeights } from "./bm25.ts";
import { propertiesOf } from "./json-schema.ts";
import { contentStems, isStopWord, stem, words } from "./tokenise.ts";
import {
  arithmeticStems,
  changesUnasked,
  comparing,
  isOnlyVerb,
  isSearching,
  isTelling,
  isVerb,
  onlyLooks,
  operatorStems,
  otherVerbs,
  type Spoken,
} from "./vocabulary.ts";
import { isSearchTerm, namesFile, takesRequests } from "./whole-request.ts";

/** How many of the tools that a sentence speaks of are looked at more closely. */
export const MAX_CANDIDATES = 8;
const MOST_CHARACTERS = 4_000;
const OTHER_VERB_WEIGHT = 0.3;
const VERB_WEIGHT = 0.6;
const CONCEPT_WEIGHT = 0.5;
/** How many words of a description say what a tool is for, before it says how. */
const OPENING = 3;
const SHORTEST_KIN = 5;
const MOST_JOINED = 20;
/** Stands for whoever did something, in tools that tell who and in sentences that ask. */
const WHO = "who?";
const FILE = stem("file");

/** A tool, and how well it answers to a sentence. */
export interface RankedTool {
  readonly tool: ToolDefinition;
  readonly score: number;
}

interface IndexedTool {
  readonly tool: ToolDefinition;
  readonly weights: TermWeights;
  readonly name: ReadonlySet<string>;
  readonly description: ReadonlySet<string>;
  readonly opening: ReadonlySet<string>;
  /** The verb that is the tool's whole name, the server's left out: `application_service__sync`. */
  readonly deed: string | undefined;
  /** Whether it takes a request in its own words, as agents do: a wrong guess is then soon put right. */
  readonly takesRequests: boolean;
  /** Whether it looks for whatever it is given. */
  readonly searches: boolean;
  /** Whether its description speaks of searching. */
  readonly tellsOfSearching: boolean;
}

/** The tools that a model is offered, to be found by what they say about themselves. */
export class ToolIndex {
  readonly tools: readonly ToolDefinition[];
  /** How many tools there are, and properties of those that are chosen between at most. */
  readonly size: number;
  readonly #indexed: readonly IndexedTool[];
  readonly #score: (query: TermWeights) => number[];
  /** The place of each term among all, and of the first that goes on from a beginning by one or two letters. */
  readonly #terms = new Map<string, number>();
  readonly #longer = new Map<string, number>();
  readonly #termAt: readonly string[];
  /** How many tools have a term in their name or description. */
  readonly #holders = new Map<string, number>();
  readonly #nameTerms: ReadonlySet<string>;

  constructor(tools: readonly ToolDefinition[]) {
    this.tools = tools;
    const widest = tools.map(({ inputSchema }) => propertiesOf(inputSchema).length).sort((a, b) => b - a);
    this.size = widest.slice(0, MAX_CANDIDATES).reduce((sum, count) => sum + count, tools.length);
    this.#indexed = tools.map(indexed);
    this.#score = bm25(this.#indexed.map(({ weights }) => weights));
    this.#termAt = [...new Set(this.#indexed.flatMap(({ weights }) => [...weights.keys()]))];
    for (const [place, term] of this.#termAt.entries()) {
      this.#terms.set(term, place);
      for (const beginning of [term.slice(0, -1), term.slice(0, -2)])
        if (!this.#longer.has(beginning)) this.#longer.set(beginning, place);
    }
    for (const { name, description } of this.#indexed)
      for (const term of new Set([...name, ...description]))
        this.#holders.set(term, (this.#holders.get(term) ?? 0) + 1);
    this.#nameTerms = new Set(this.#indexed.flatMap(({ name }) => [...name]));
  }

  /** The tools that a sentence speaks of, best first; none where it only shares a word with one in passing. */
  rank(sentence: string, arithmetic?: Arithmetic): RankedTool[] {
    const query = this.#query(sentence.slice(0, MOST_CHARACTERS), arithmetic);
    const scores = this.#score(query);
    const heard = spokenIn(withoutValues(sentence.slice(0, MOST_CHARACTERS)));
    const spoken = {
      ...heard,
      namesFile: namesFile(sentence),
      stems: new Set([...heard.stems].map((term) => this.#known(term))),
    };
    return this.#indexed
      .map((entry, index) => ({ tool: entry.tool, score: scores[index] ?? 0, entry }))
      .filter(({ entry, score }) => score > 0 && isMeant(entry, spoken, arithmetic))
      .sort((a, b) => b.score - a.score)
      .map(({ tool, score }) => ({ tool, score }));
  }

  /** A term as the tools have it: "healthy" is spoken of by who says "health". */
  #known(term: string): string {
    if (this.#terms.has(term) || isVerb(term) || term.length < SHORTEST_KIN) return term;
    const shorter = [term.slice(0, -1), term.slice(0, -2)].filter((other) => other.length >= SHORTEST_KIN);
    const places = [...shorter.map((other) => this.#terms.get(other)), this.#longer.get(term)];
    const first = Math.min(...places.filter((place) => place !== undefined));
    return this.#termAt[first] ?? term;
  }

  #query(sentence: string, arithmetic: Arithmetic | undefined): TermWeights {
    const said = [...queryOf(sentence, arithmetic)].map(
      ([term, weight]) => [this.#known(term), weight] as const,
    );
    const query = new Map(said);
    // "Check the shop" to who does nothing but shops: an overview is wanted.
    const isOverview = contentStems(sentence).every(
      (term) => isVerb(term) || this.#isShared(this.#known(term)),
    );
    if (/\bcheck\b/i.test(sentence) && isOverview)
      for (const term of ["status", "list"]) query.set(term, VERB_WEIGHT);
    if (namesFile(sentence) && this.#indexed.every((entry) => entry.takesRequests))
      query.set(FILE, VERB_WEIGHT);
    return query;
  }

  #isShared(term: string): boolean {
    const holders = this.#holders.get(term) ?? 0;
    return holders > 1 && holders > this.#indexed.length / 2;
  }

  /** Whether a part of a sentence stands on its own: it has a deed, or names one of the tools. */
  standsAlone(part: string): boolean {
    const stems = contentStems(part);
    return (
      /^\s*(?:what|who|when|where|why|how|is|are)\b|\d\s*[-+*/×÷]\s*\d/i.test(part) ||
      arithmeticIn(part.slice(0, MOST_CHARACTERS), []) !== undefined ||
      stems.some((term) => isOnlyVerb(term) || this.#nameTerms.has(term))
    );
  }

  /** What a sentence speaks of and a tool says nothing about. */
  unexplained(sentence: string, tool: ToolDefinition): string[] {
    const weights = this.#indexed.find((entry) => entry.tool === tool)?.weights;
    const nouns = contentStems(sentence).filter((term) => !isVerb(term));
    return nouns.filter((term) => weights?.has(this.#known(term)) !== true);
  }

  /** The tools that change nothing that the sentence does not ask for, all alike. */
  harmless(sentence: string): RankedTool[] {
    const spoken = spokenIn(sentence);
    return this.#indexed.flatMap(({ tool, name }) =>
      changesUnasked(name, spoken) || onlyLooks(name, spoken) ? [] : [{ tool, score: 1 }],
    );
  }
}

function indexed(tool: ToolDefinition): IndexedTool {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number): void => {
    for (const term of contentStems(text)) weights.set(term, (weights.get(term) ?? 0) + weight);
  };
  add(tool.name, 3);
  add(tool.description, 1);
  const opening = contentStems(tool.description).slice(0, OPENING);
  add(opening.join(" "), 1);
  const joined = joinedWords(tool.description);
  for (const term of joined) weights.set(term, (weights.get(term) ?? 0) + 0.5);
  if (/\bwho\b|\bauthors?\b/i.test(tool.description)) weights.set(WHO, 1);
  for (const { name, schema, description } of propertiesOf(tool.inputSchema)) {
    add(name, 1);
    add(description, 0.4);
    if (Array.isArray(schema.enum)) add(schema.enum.join(" "), 0.5);
  }
  const description = new Set([...contentStems(tool.description), ...joined]);
  return {
    tool,
    weights,
    name: new Set(contentStems(tool.name)),
    description,
    tellsOfSearching: [...description].some(isSearching),
    opening: new Set(opening),
    deed: deedOf(tool.name),
    takesRequests: takesRequests(tool),
    searches: propertiesOf(tool.inputSchema).some((property) => property.required && isSearchTerm(property)),
  };
}

/** Two words that people also write as one, as they are at a description's beginning: "Time Zone" is "timezone". */
function joinedWords(description: string): string[] {
  const parts = words(description).slice(0, MOST_JOINED);
  return parts.slice(1).map((part, index) => stem(`${parts[index]}${part}`));
}

function queryOf(sentence: string, arithmetic: Arithmetic | undefined): TermWeights {
  const query = new Map<string, number>();
  const raise = (term: string, weight: number): void => {
    query.set(term, Math.max(weight, query.get(term) ?? 0));
  };
  for (const term of words(sentence)
    .filter((word) => !isStopWord(word))
    .map(stem)) {
    raise(term, isVerb(term) ? VERB_WEIGHT : 1);
    for (const other of otherVerbs(term)) raise(other, OTHER_VERB_WEIGHT);
  }
  if (ASKS_FOR_LIST.test(sentence)) raise("list", VERB_WEIGHT);
  if (/\bwho\b/i.test(sentence)) raise(WHO, 1);
  if (/\bbetween\b.+\band\b/i.test(sentence)) for (const term of comparing) raise(term, 1);
  for (const term of conceptsOf(arithmetic)) raise(term, CONCEPT_WEIGHT);
  return query;
}

const ASKS_FOR_LIST = /\b(?:is|are) there\b|\b(?:last|latest|recent|all)\s+(?:\w+\s+)?\w+s\b/i;

function conceptsOf(arithmetic: Arithmetic | undefined): readonly string[] {
  if (arithmetic === undefined) return [];
  return [...arithmeticStems, ...(operatorStems[arithmetic.operator ?? ""] ?? [])];
}

/** One shared word of a long sentence is chance; a word of a tool's name is not, and nor is half of what was said. */
function isMeant(entry: IndexedTool, spoken: Spoken, arithmetic: Arithmetic | undefined): boolean {
  if (conceptsOf(arithmetic).some((term) => entry.name.has(term) || entry.description.has(term))) return true;
  if (changesUnasked(entry.name, spoken) || onlyLooks(entry.name, spoken)) return false;
  const heard = [...spoken.stems];
  if (!spoken.isQuestion && isOrdered(entry, heard[0])) return true;
  // "Is all in sync?" asks who knows of syncing; a tool would have to do it.
  const nouns = heard.filter((term) => !isOnlyVerb(term) || (entry.takesRequests && isTelling(term)));
  if (spoken.namesFile && entry.takesRequests && entry.description.has(FILE)) return true;
  if (nouns.some((term) => entry.name.has(term))) return true;
  const described = nouns.filter((term) => entry.description.has(term)).length;
  if (described > 1 || (described === 1 && (nouns.length < 3 || entry.takesRequests))) return true;
  if (entry.searches && heard.some(isSearching)) return true;
  if (entry.takesRequests && heard.some(isSearching) && entry.tellsOfSearching) return true;
  if (spoken.asksWho && entry.weights.has(WHO))
    return spoken.namesFile || heard.some((term) => entry.weights.has(term));
  return heard.some((term) => entry.name.has(term)) && nouns.every((term) => entry.weights.has(term));
}

/** "Sync checkout" names nothing but the deed and a value: a tool whose whole name is that deed is meant. */
function isOrdered({ deed, weights, opening }: IndexedTool, order: string | undefined): boolean {
  if (order === undefined) return false;
  if (isTelling(order) && opening.has(order)) return true;
  if (deed === undefined) return false;
  return order === deed || (otherVerbs(order).includes(deed) && weights.has(order));
}

function deedOf(name: string): string | undefined {
  const [verb, ...more] = contentStems(name.split("__").at(-1) ?? "");
  return verb !== undefined && more.length === 0 && isTelling(verb) ? verb : undefined;
}

const QUESTION =
  /^\s*(?:and\s+|so\s+)?(?:which|what|who|whose|when|where|why|how|is|are|was|were)\b(?! about\b)/i;

function spokenIn(sentence: string): Spoken {
  return {
    stems: new Set(contentStems(sentence)),
    isQuestion: QUESTION.test(sentence),
    asksWho: /^\s*who\b/i.test(sentence),
    namesFile: false,
  };
}

/** A sentence without what can only be values: quoted text, addresses, paths, numbers. */
function withoutValues(sentence: string): string {
  return sentence
    .replace(/"[^"]*"|“[^“”]*”|`[^`]*`/g, " ")
    .replace(/\S+/g, (word) => (/[/@\d]/.test(word) ? " " : word.replace(/^\S+\.[a-z]\w*/i, " ")));
}
