import { describe, expect, it } from "vitest";
import type { Merge } from "../journal.ts";
import { type JournalUnderTest, readAll, upTo } from "./journal-fixture.ts";

const joinText: Merge = (previous, next) =>
  typeof previous === "string" && typeof next === "string" ? previous + next : undefined;

/** Coalescing before the index. */
export function describeMerging(test: JournalUnderTest): void {
  describe("merging", () => {
    it("joins neighbours that wait for one flush; their callers share the index", async () => {
      const indices = await Promise.all(
        ["He", "l", "lo"].map((text) => test.current.append("a", [text], { merge: joinText })),
      );
      expect(indices).toEqual([1, 1, 1]);
      expect((await readAll(test.current, "a")).map(({ payload }) => payload)).toEqual(["Hello"]);
      expect(test.current.stats().merged).toBe(2);
    });

    it("keeps apart what the merge function declines, other streams, and appends with an expectation", async () => {
      const indices = await Promise.all([
        test.current.append("a", ["x"], { merge: joinText }),
        test.current.append("b", ["y"], { merge: joinText }),
        test.current.append("a", [1], { merge: joinText }),
        test.current.append("a", ["z"], { merge: joinText }),
        test.current.append("a", ["w"], { merge: joinText, expected: 3 }),
      ]);
      expect(indices).toEqual([1, 1, 2, 3, 4]);
    });

    it("does not join across flushes: a quiet system streams piece by piece", async () => {
      for (const text of ["a", "b", "c"]) await test.current.append("a", [text], { merge: joinText });
      expect((await readAll(test.current, "a")).map(({ payload }) => payload)).toEqual(["a", "b", "c"]);
    });

    it("stops joining at a pleasant size and loses nothing", async () => {
      const pieces = upTo(40).map((n) => String(n % 10).repeat(10_000));
      await Promise.all(pieces.map((piece) => test.current.append("a", [piece], { merge: joinText })));
      const events = await readAll(test.current, "a");
      expect(events.length).toBeGreaterThan(1);
      expect(events.length).toBeLessThan(40);
      expect(events.map(({ payload }) => payload).join("")).toBe(pieces.join(""));
    });

    it("fails only the append whose merge function throws or makes no JSON", async () => {
      const outcomes = await Promise.allSettled([
        test.current.append("a", ["x"]),
        test.current.append("a", ["y"], {
          merge: () => {
            throw new Error("no");
          },
        }),
        test.current.append("b", ["x"]),
        test.current.append("b", ["y"], { merge: () => Number.NaN }),
      ]);
      // Alone in its commit there is nothing to merge with, so each is written after all.
      expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill("fulfilled"));
      expect((await readAll(test.current, "b")).map(({ payload }) => payload)).toEqual(["x", "y"]);
    });
  });
}
