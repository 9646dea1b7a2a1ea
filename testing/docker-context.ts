import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Of these paths those that .dockerignore of this folder lets into a build; the last of its lines that fits a path decides. */
export function dockerContext(root: string, paths: readonly string[]): string[] {
  const rules = readFileSync(join(root, ".dockerignore"), "utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ letsIn: line.startsWith("!"), fits: patternOf(line.replace(/^!/, "")) }));
  return paths.filter((path) => rules.findLast(({ fits }) => fits.test(path))?.letsIn ?? true);
}

/** A line stands for what it names and for all below it. */
function patternOf(line: string): RegExp {
  const source = line
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(
      /\*\*\/|\*\*|\*|\?/g,
      (wildcard) => ({ "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*" })[wildcard] ?? "[^/]",
    );
  return new RegExp(`^${source}(?:/|$)`);
}
