import { isSchema } from "./json-schema.ts";
import { words } from "./tokenise.ts";

const MOST_ROWS = 20;
const MOST_COLUMNS = 6;
const LONGEST_CELL = 80;

/** A result in Markdown: text as it is, lists as lists, records as tables. */
export function wordValue(value: unknown): string {
  if (Array.isArray(value)) return wordList(value);
  if (isSchema(value)) return wordObject(value);
  return String(value ?? "nothing");
}

/** A name in code as words: "createdAt" is "created at". */
export function spokenName(name: string): string {
  return words(name).join(" ");
}

/** A value on one line. */
export function inline(value: unknown): string {
  if (value === null || value === undefined) return "–";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.replace(/\s+/g, " ");
}

function wordList(list: readonly unknown[]): string {
  if (list.length === 0) return "Nothing was found.";
  const shown = list.slice(0, MOST_ROWS);
  const rest = list.length > shown.length ? `\n\n… and ${list.length - shown.length} more.` : "";
  const records = shown.filter(isSchema);
  const body =
    records.length === shown.length ? table(records) : shown.map((item) => `- ${inline(item)}`).join("\n");
  return `${body}${rest}`;
}

function table(records: readonly Readonly<Record<string, unknown>>[]): string {
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))].slice(0, MOST_COLUMNS);
  const rows = records.map((record) => columns.map((column) => cell(record[column])));
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(columns.map(spokenName)), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

function cell(value: unknown): string {
  const text = inline(value).replaceAll("|", "\\|");
  return text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL - 1)}…` : text;
}

function wordObject(record: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(record);
  if (entries.length === 0) return "Nothing was found.";
  const [only] = entries;
  if (only !== undefined && entries.length === 1 && typeof only[1] !== "object") {
    return `The ${spokenName(only[0])} is ${inline(only[1])}.`;
  }
  const plain = entries.filter(([, value]) => !isTabular(value));
  const tabular = entries.filter(([, value]) => isTabular(value));
  const facts = plain.map(([name, value]) => `- ${spokenName(name)}: ${inline(value)}`).join("\n");
  const tables = tabular.map(([name, value]) => `**${spokenName(name)}**\n\n${wordValue(value)}`);
  return [facts, ...tables].filter((part) => part !== "").join("\n\n");
}

function isTabular(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isSchema);
}
