import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { comparable } from "./difference.ts";
import { sequenceDiff, textDiff } from "./text-diff.ts";

const ink = { removed: (text: string) => text, added: (text: string) => text };

describe("sequenceDiff (+10)", () => {
  it("keeps every item of both in order, and equates only equal items", () => {
    const items = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
    fc.assert(
      fc.property(items, items, (expected, actual) => {
        const changes = sequenceDiff(expected, actual, (item) => item);
        const before = changes.flatMap((change) => (change.kind === "new" ? [] : [change.expected]));
        const after = changes.flatMap((change) => (change.kind === "missing" ? [] : [change.actual]));
        expect([before, after]).toEqual([expected, actual]);
        for (const change of changes) if (change.kind === "same") expect(change.expected).toBe(change.actual);
      }),
    );
  });

  it("finds the fewest changes", () => {
    const kinds = sequenceDiff([..."abcd"], [..."acbd"], (item) => item).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "same")).toHaveLength(3);
  });
});

describe("textDiff (+10)", () => {
  it("shows a changed line once, word by word", () => {
    expect(textDiff("The sum is 4 today", "The sum is 5 today", ink)).toEqual([
      "~ The sum is [-4-]{+5+} today",
    ]);
  });

  it("shows other lines as removed and added, with context", () => {
    const lines = ["1", "2", "3", "4", "old words here", "6", "7", "8", "9"];
    const other = lines.with(4, "entirely different");
    expect(textDiff(lines.join("\n"), other.join("\n"), ink)).toEqual([
      ...["  3", "  4", "- old words here", "+ entirely different", "  6", "  7", "  …"],
    ]);
  });
});

describe("comparable (+10)", () => {
  it.each([
    ["run_0b6f3a52-77aa-4b1e-9a54-0f6f0c1d2e3f", "run_5d1c9e77-1111-4b1e-9a54-0f6f0c1d2e3f"],
    ["at 2026-05-01T10:00:00.123Z", "at 2027-01-02T03:04:05Z"],
    ["completed (0.4 s)", "completed (12 s)"],
    ["see http://localhost:8001/x", "see http://localhost:43123/x"],
  ])("is the same for %j and %j", (one, other) => {
    expect(comparable(one)).toBe(comparable(other));
  });

  it.each([
    ["v3.1.8", "v3.1.9"],
    ["on 2026-05-01", "on 2026-05-02"],
    ["7 degrees", "8 degrees"],
    ["https://example.com:8001", "https://example.com:8002"],
  ])("differs for %j and %j", (one, other) => {
    expect(comparable(one)).not.toBe(comparable(other));
  });
});
