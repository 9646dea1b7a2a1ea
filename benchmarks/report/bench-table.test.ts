import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { atLeast, atMost } from "./bars.ts";
import { withResults } from "./bench-table.ts";

const EMPTY = "# Title\n<!-- bench:begin -->\n<!-- bench:end -->\nThe rest.\n";
const first = { date: "2027-01-30", machine: "a small machine" };
const second = { date: "2027-01-31", machine: "a large machine" };
const journal = { bench: "journal", bars: [atLeast("of its raw limit", 0.7, 0.6)] };

describe("the benchmark table", () => {
  it("has a row for each bar, with its target, date and machine", () => {
    const bars = [atMost("seconds to the first answer", 6.21, 5)];
    const text = withResults(EMPTY, [journal, { bench: "first-answer", bars }], first);
    expect(text.split("\n").filter((line) => line.startsWith("| `"))).toEqual([
      "| `first-answer` | seconds to the first answer | ✗ 6.21 | at most 5 | 2027-01-30 |",
      "| `journal` | of its raw limit | ✓ 0.7 | at least 0.6 | 2027-01-30 |",
    ]);
    expect(text).toContain("Last measured on a small machine.");
    expect(text).toMatch(/^# Title\n[\s\S]*\nThe rest\.\n$/);
  });

  it("keeps the rows of benchmarks that were not run, and replaces the others", () => {
    const before = withResults(EMPTY, [journal, { bench: "web", bars: undefined }], first);
    const after = withResults(before, [{ bench: "web", bars: [atMost("kilobytes", 80, 100)] }], second);
    expect(after.match(/^\| `.*$/gm)).toEqual([
      "| `journal` | of its raw limit | ✓ 0.7 | at least 0.6 | 2027-01-30 |",
      "| `web` | kilobytes | ✓ 80 | at most 100 | 2027-01-31 |",
    ]);
  });

  it("marks a benchmark that did not finish", () => {
    expect(withResults(EMPTY, [{ bench: "web", bars: undefined }], first)).toContain(
      "| `web` | did not get to its end | ✗ |",
    );
  });

  it("rejects a text without markers", () => {
    expect(() => withResults("# Title", [journal], first)).toThrow("needs <!-- bench:begin -->");
  });

  it("has its place in docs/benchmarks.md", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/benchmarks.md"), "utf8");
    expect(withResults(page, [journal], first)).toContain("| `journal` | of its raw limit |");
  });
});
