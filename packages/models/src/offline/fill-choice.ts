import type { FillProperty } from "./fill-arguments.ts";
import { isSchema, typeOf } from "./json-schema.ts";
import { words } from "./tokenise.ts";
import type { UnclaimedText } from "./unclaimed-text.ts";

/** Finds a value among those that a schema allows; of two alike, "to" and "from" tell which is which. */
export const fillByChoice: FillProperty = ({ name, schema, required }, { text }) => {
  const items = schema.items;
  if (typeOf(schema) === "array" && isSchema(items) && Array.isArray(items.enum)) {
    const found = repeated(() => taken(choicesOf(items.enum), "", text));
    return found.length > 0 ? found : undefined;
  }
  const choices = choicesOf(schema.enum);
  const [only] = choices;
  if (required && only !== undefined && choices.length === 1) return only;
  if (required && schema.const !== undefined) return schema.const;
  const { likely, possible } = placesFor(name);
  return taken(choices, likely, text) ?? taken(choices, possible, text);
};

function choicesOf(choices: unknown): unknown[] {
  return Array.isArray(choices) ? choices.filter((choice) => choice !== null) : [];
}

/** What stands before a value of this property: where it is likely, and where it is possible at all. */
function placesFor(name: string): { likely: string; possible: string } {
  const parts = words(name);
  if (parts.some((part) => /^(to|target|destination|into)$/.test(part))) {
    return {
      likely: String.raw`\b(?:(?:in)?to|in|as|how many)\s+`,
      possible: String.raw`(?<!\d\s*|from\s+)`,
    };
  }
  if (!parts.some((part) => /^(from|source|origin)$/.test(part))) return { likely: "", possible: "" };
  return {
    likely: String.raw`\bfrom\s+|(?<=\d\s*)`,
    possible: String.raw`(?<!\b(?:(?:in)?to|in|as|how many)\s+)`,
  };
}

function taken(choices: readonly unknown[], lead: string, text: UnclaimedText): unknown {
  const places = choices.flatMap((choice) => {
    const pattern = text.has(words(String(choice))) ? patternOf(String(choice), lead) : undefined;
    const found = pattern?.exec(text.left);
    return found === undefined || found === null
      ? []
      : [{ choice, pattern, index: found.index, length: found[0].length }];
  });
  // The first that is named, and of two at one place the longer: "very high" is not "high".
  const [first] = places.sort((a, b) => a.index - b.index || b.length - a.length);
  if (first?.pattern === undefined) return undefined;
  text.take(first.pattern);
  return first.choice;
}

function patternOf(choice: string, lead: string): RegExp | undefined {
  const parts = words(choice);
  if (parts.length === 0) return undefined;
  const spoken = parts.join(String.raw`[\s_-]*`);
  // A single letter is a choice only as it is written: "a" is an article.
  return choice.length === 1
    ? new RegExp(String.raw`(?:${lead})(?<![\p{L}\p{N}])${choice}(?![\p{L}\p{N}])`, "u")
    : new RegExp(String.raw`(?:${lead})(?<!\p{L})${spoken}s?(?!\p{L})`, "iu");
}

function repeated(take: () => unknown): unknown[] {
  const found: unknown[] = [];
  for (let value = take(); value !== undefined && found.length < 50; value = take()) found.push(value);
  return found;
}
