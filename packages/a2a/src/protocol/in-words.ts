import type { Part } from "./model.ts";

/** What parts say, their data and files in words: as a model is shown them. */
export function inWords({ parts }: { readonly parts: readonly Part[] }): string {
  return parts.map(partInWords).filter(Boolean).join("\n");
}

/** Whether what is of this type can be read. */
export function isText(mediaType: string | undefined): boolean {
  return TEXTS.test(mediaType ?? "");
}

/** So much of a file a model is shown. */
const MAX_CHARACTERS = 100_000;
const TEXTS = /^(?:text\/|application\/(?:.+\+)?(?:json|xml|yaml|x-yaml|toml|x-ndjson|sql|javascript)\b)/;

function partInWords({ text, data, url, raw, filename, mediaType }: Part): string {
  if (text !== undefined) return text;
  if (data !== undefined) return JSON.stringify(data);
  const name = [filename, mediaType].filter(Boolean).join(", ") || "file";
  if (url !== undefined) return `[${name}: ${url}]`;
  const content = Buffer.from(raw ?? "", "base64");
  const title = `[${name}, ${content.byteLength} bytes]`;
  const words = isText(mediaType) ? decoded(content) : undefined;
  return words === undefined ? title : `${title}:\n${fenced(words)}`;
}

function decoded(content: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    // Whatever its declared type, it is not text.
    return undefined;
  }
}

/** Between two lines that it cannot contain: what is in a file does not end it. */
function fenced(words: string): string {
  const longest = Math.max(2, ...(words.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  const shown = words.slice(0, MAX_CHARACTERS);
  const rest = words.length - shown.length;
  return `${fence}\n${shown}${rest > 0 ? `\n… and ${rest} characters more` : ""}\n${fence}`;
}
