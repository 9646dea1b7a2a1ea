import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isForDevelopment } from "./import-rules.ts";
import type { Violation } from "./violation.ts";

/** The page whose tables have every setting. */
const PAGE = "docs/settings.md";
const SHIPPED = /^(packages|mcp-servers|launcher)\/.*\.(ts|tsx|mjs)$/;
/** What reads the environment, in the ways our code does. */
const READS = [
  /\b(PARLEY_[A-Z][A-Z0-9_]*)/g,
  /(?:environment|process\.env)\.([A-Z][A-Z0-9_]*)/g,
  /"([A-Z_]+_(?:API_KEY|BASE_URL))"/g,
  /\b(OPENAI_COMPATIBLE_MODEL): /g,
];
/** Set by the system, by npm, or by Parley for a program that it starts. */
const SET_FOR_US = new Set(["PATH", "HOME", "TERM", "INIT_CWD", "HOST", "NODE_COMPILE_CACHE"]);

/** Lists settings that shipped code reads and docs/settings.md does not have, and those that it has and nothing reads. */
export function undocumentedSettings(root: string, files: readonly string[]): Violation[] {
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const documented = files.includes(PAGE) ? settingsInTables(read(PAGE)) : new Set<string>();
  const uses = files
    .filter((path) => SHIPPED.test(path) && !isForDevelopment(path))
    .flatMap((path) => [...settingsRead(read(path))].map((name) => ({ path, name })));
  const used = new Set(uses.map(({ name }) => name));
  return [
    ...uses
      .filter(({ name }) => !documented.has(name))
      .map(({ path, name }) => ({ rule: "undocumented setting", path, detail: `reads ${name}` }) as const),
    ...[...documented]
      .filter((name) => !used.has(name))
      .map((name) => ({ rule: "documented setting that nothing reads", path: PAGE, detail: name }) as const),
  ];
}

function settingsRead(code: string): Set<string> {
  const names = READS.flatMap((pattern) => [...code.matchAll(pattern)].map(([, name = ""]) => name));
  return new Set(names.filter((name) => !SET_FOR_US.has(name) && !name.endsWith("_")));
}

function settingsInTables(page: string): Set<string> {
  const cells = [...page.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = ""]) => cell);
  return new Set(cells.flatMap((cell) => cell.match(/[A-Z][A-Z0-9_]{3,}/g) ?? []));
}
