import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const NAME = /^[A-Za-z]\w*$/;
const MEMBER = /^([A-Za-z]\w*)\.#?(\w+)$/;

const sources = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root })
  .filter((path) => !/\.test\.ts$|\/testing\//.test(path))
  .map((path) => readFileSync(join(root, path), "utf8"));
const words = new Set(sources.flatMap((text) => text.match(/\w+/g) ?? []));

function declares(text: string, name: string): boolean {
  return new RegExp(`\\b(class|function\\*?|const|interface|type) ${name}\\b`).test(text);
}

/** What a page names in code that is not there: files, symbols, members of symbols. */
function missingIn(page: string): string[] {
  return [...page.matchAll(/`([^`]+)`/g)].flatMap(([, named = ""]) => (isThere(named) ? [] : [named]));
}

function isThere(named: string): boolean {
  if (/^(packages|conformance|testing|docs|agents)\//.test(named)) return existsSync(join(root, named));
  const [, owner = "", member = ""] = MEMBER.exec(named) ?? [];
  if (owner !== "")
    return sources.some((text) => declares(text, owner) && new RegExp(`\\b${member}\\b`).test(text));
  // A class has to be one of ours; anything else may be a field, a method or an event.
  if (NAME.test(named))
    return /^[A-Z][a-z]/.test(named) ? sources.some((text) => declares(text, named)) : words.has(named);
  return true;
}

describe("the flows in docs/flows", () => {
  const pages = globSync("docs/flows/*.md", { cwd: root });

  it("cover a token, a crash, a fork and the paths through the code", () => {
    expect(pages.map((path) => path.split(/[\\/]/).at(-1)).sort()).toEqual([
      "how-a-crash-is-survived.md",
      "how-a-fork-is-made.md",
      "how-a-token-travels.md",
      "ways-through-the-code.md",
    ]);
  });

  it.each(pages)("name only existing symbols and files: %s", (path) => {
    const page = readFileSync(join(root, path), "utf8");
    expect(page.match(/`/g)?.length).toBeGreaterThan(30);
    expect(missingIn(page)).toEqual([]);
  });

  it("fail the check when they name a missing class, member or file", () => {
    const gone =
      "`RunMemory.off` `GoneSymbol` `packages/none/a.ts` `goneFunction` `RunMemory.of` `packages/a2a`";
    expect(missingIn(gone)).toEqual(["RunMemory.off", "GoneSymbol", "packages/none/a.ts", "goneFunction"]);
  });
});
