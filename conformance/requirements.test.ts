import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryFiles } from "@parley/testing/architecture/repository-files.ts";
import { describe, expect, it } from "vitest";
import { citedIds } from "./requirements/cited-ids.ts";
import { MANIFEST } from "./requirements/manifest.ts";
import { isDemanded } from "./requirements/requirement.ts";
import { testTitles } from "./requirements/test-titles.ts";

const ROOT = join(import.meta.dirname, "..");
/** Contract suites hold tests too, which every implementation runs. */
const TESTS = /(\.test|-contract)\.ts$/;

/** Citations: id → the files whose titles name it. */
const citations = new Map<string, Set<string>>();
for (const file of repositoryFiles(ROOT).filter((it) => TESTS.test(it))) {
  for (const id of testTitles(readFileSync(join(ROOT, file), "utf8")).flatMap(citedIds)) {
    citations.set(id, (citations.get(id) ?? new Set()).add(file));
  }
}

describe("the requirements", () => {
  it("each have a test that cites them, once their step is done", () => {
    const missing = MANIFEST.filter((it) => isDemanded(it) && !citations.has(it.id));
    expect(missing.map(({ id, text }) => `${id}: ${text}`)).toEqual([]);
  });

  it("are the only ones that tests cite", () => {
    const known = new Set(MANIFEST.map(({ id }) => id));
    const unknown = [...citations].filter(([id]) => !known.has(id));
    expect(unknown.map(([id, files]) => `${id} in ${[...files].join(", ")}`)).toEqual([]);
  });

  it("have unique ids", () => {
    const ids = MANIFEST.map(({ id }) => id);
    expect(ids.filter((id, position) => ids.indexOf(id) !== position)).toEqual([]);
  });
});

describe("the titles of a file's tests", () => {
  it("are found despite any syntax between a call and its title", () => {
    const source = `
      it("one (S1.1)", () => {});
      describe.each([["a)", /\\)["]/, \`\${"x"})\`]])('two', () => {}); // it("no")
      it.each<[string, () => void]>([["(", () => {}]])(
        \`three (+1)\`, () => {});
      test("four \\"quoted\\"", () => {}); items.each(x); it.each(rows)("five", () => {});
    `;
    expect(testTitles(source)).toEqual(["one (S1.1)", "two", "three (+1)", 'four \\"quoted\\"', "five"]);
  });
});

describe("the ids that a title cites", () => {
  it.each([
    ["a (S1.3–5, S0.2)", ["S1.3", "S1.4", "S1.5", "S0.2"]],
    ["b (+1, +11)", ["+1", "+11"]],
    ["2+2 and S2.10", ["S2.10"]],
    ["invariants 1, 3 and 5–6: c", ["invariant 1", "invariant 3", "invariant 5", "invariant 6"]],
    ["W1, D2: d", ["W1", "D2"]],
    ["A2A-LIST-2–3: e", ["A2A-LIST-2", "A2A-LIST-3"]],
    ["A2A and W3C, UTC+1", []],
  ])("of %j are %j", (title, ids) => {
    expect(citedIds(title)).toEqual(ids);
  });
});
