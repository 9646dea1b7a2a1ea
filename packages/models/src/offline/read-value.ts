import { words } from "./tokenise.ts";

const MAX_COLUMNS = 100;

/** What a text holds: JSON, or the table or the facts that Markdown shows, or the text itself. */
export function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return readTable(text) ?? readFacts(text) ?? text.trim();
  }
}

function readTable(text: string): Record<string, unknown>[] | undefined {
  const rows = text.split("\n").filter((line) => /^\s*\|.*\|\s*$/.test(line));
  const [header, rule, ...body] = rows.map(cells);
  if (header === undefined || rule === undefined || !rule.every((cell) => /^:?-+:?$/.test(cell)))
    return undefined;
  return body.map((row) =>
    // Short rows below a long header would cost their product.
    Object.fromEntries(
      header
        .slice(0, Math.max(row.length, MAX_COLUMNS))
        .map((name, index) => [keyOf(name), scalar(row[index] ?? "")]),
    ),
  );
}

function cells(row: string): string[] {
  return row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function readFacts(text: string): Record<string, unknown> | undefined {
  const facts = [...text.matchAll(/^[ \t]*[-*][ \t]+([\p{L}][\p{L}\p{N} _-]{0,30}):[ \t]+([^\s].*)$/gmu)];
  if (facts.length === 0) return undefined;
  return Object.fromEntries(facts.map(([, name = "", value = ""]) => [keyOf(name), scalar(value.trim())]));
}

function keyOf(name: string): string {
  return words(name).join("_");
}

function scalar(text: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
