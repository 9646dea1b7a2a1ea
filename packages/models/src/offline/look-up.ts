import type { ToolDefinition } from "../model.ts";
import { type Filled, fillArguments } from "./fill-arguments.ts";
import { isSchema, type Property } from "./json-schema.ts";
import { oncePer } from "./once-per.ts";
import type { Done } from "./recall.ts";
import { contentStems, words } from "./tokenise.ts";
import { isOnlyVerb } from "./vocabulary.ts";
import { isCalled } from "./whole-request.ts";

const MOST_ENTRIES = 1_000;

/** A call that shows what there is, to find the file that a sentence speaks of. */
export interface LookUp {
  readonly tool: ToolDefinition;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The file that is missing from a call, where it is all that is missing. */
export function missingFile({ missing }: Filled): Property | undefined {
  const [only, ...others] = missing;
  return only !== undefined && others.length === 0 && isCalled(only, "path", "file", "filename")
    ? only
    : undefined;
}

/** How to see which files there are, with these tools. */
export const lookUpAmong = oncePer((tools: readonly ToolDefinition[]): LookUp | undefined => {
  for (const tool of tools) {
    const named = words(tool.name);
    if (!named.includes("list") || !named.some((word) => /^(?:files?|directory|folder)$/.test(word)))
      continue;
    const [args] = fillArguments(tool, { sentence: "" }).calls;
    if (args !== undefined) return { tool, arguments: args };
  }
  return undefined;
});

/** The files that were found whose names say most of what a sentence speaks of; none where no name says anything of it. */
export function filesSpokenOf(sentence: string, looked: readonly Done[]): string[] {
  const spoken = new Set(contentStems(sentence).filter((term) => !isOnlyVerb(term)));
  const files = looked.flatMap(entriesOf).map((name) => ({
    name,
    shared: new Set(contentStems(name).filter((term) => spoken.has(term))).size,
  }));
  const most = Math.max(1, ...files.map(({ shared }) => shared));
  return files.filter(({ shared }) => shared === most).map(({ name }) => name);
}

/** The names in a listing: one a line, marked as a file or not, or as JSON. */
export function entriesOf({ outcome, value }: Done): string[] {
  if (outcome === undefined || outcome.failed) return [];
  const entries = Array.isArray(value)
    ? value.map((entry: unknown) => (isSchema(entry) ? (entry.path ?? entry.name) : entry))
    : outcome.text.split("\n").map((line) => line.replace(/^\s*(?:\[FILE\]|[-*])\s+/, "").trim());
  return entries
    .filter((entry) => typeof entry === "string" && entry !== "" && !/^\[DIR\]/.test(entry))
    .slice(0, MOST_ENTRIES) as string[];
}
