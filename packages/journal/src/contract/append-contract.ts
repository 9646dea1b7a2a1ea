import { describe, expect, it } from "vitest";
import { JsonText } from "../append/payload.ts";
import * as errors from "../errors.ts";
import { codeOf, type JournalUnderTest, readAll, upTo } from "./journal-fixture.ts";

/** How events get their indices, and what an append may demand. */
export function describeAppends(test: JournalUnderTest, survivesClosing: boolean): void {
  describe("append and read", () => {
    let chain = { broken: false };

    it("numbers the events of each stream 1..n in the order of the calls", async () => {
      const calls = upTo(50).flatMap((n) => [
        test.current.append("a", [{ n }]),
        test.current.append("b", [{ n: -n }, "second"]),
      ]);
      const last = await Promise.all(calls);
      expect(last.filter((_, i) => i % 2 === 0)).toEqual(upTo(50));
      const events = await readAll(test.current, "a", 7);
      expect(events.map(({ index }) => index)).toEqual(upTo(50));
      expect(events.map(({ payload }) => payload)).toEqual(upTo(50).map((n) => ({ n })));
      expect((await readAll(test.current, "b")).map(({ index }) => index)).toEqual(upTo(100));
      expect(await test.current.head("b")).toBe(100);
    });

    it("takes payloads that are JSON text already, and merges them like others", async () => {
      await test.current.append("a", [new JsonText('{"n":1,"text":"ü😀"}'), { n: 2 }, new JsonText("3")]);
      expect((await readAll(test.current, "a")).map(({ payload }) => payload)).toEqual([
        { n: 1, text: "ü😀" },
        { n: 2 },
        3,
      ]);
      const merge = (previous: unknown, next: unknown) => `${previous}${next}`;
      await test.current.append("b", [new JsonText('"x"'), "y", new JsonText('"z"')], { merge });
      expect((await readAll(test.current, "b")).map(({ json }) => json)).toEqual(['"xyz"']);
      for (const text of ['"\ud800"', "1\n2"]) {
        const refused = test.current.append("a", [new JsonText(text)]);
        await expect(refused).rejects.toBeInstanceOf(errors.InvalidPayloadError);
      }
    });

    it("returns exactly the JSON that was appended", async () => {
      const payloads = [
        null,
        0,
        -1.5e-7,
        "",
        "\u0000 \ud83d \u{1f600} \u2028",
        [],
        {},
        { a: [{ b: null }], ["__proto__"]: 1 },
        "x".repeat(300_000),
      ];
      await test.current.append("a", payloads);
      expect((await readAll(test.current, "a")).map(({ payload }) => payload)).toEqual(payloads);
    });

    it.each([
      ["is refused", () => test.current.append("a", ["hole"], { expected: 7, chain })],
      ["cannot be written at all", () => test.current.append("a", [1n], { chain })],
    ])("writes nothing of a chain after an append of it that %s, now or later", async (_, hole) => {
      chain = { broken: false };
      const before = test.current.append("a", ["before"], { chain });
      const failed = hole();
      const after = [
        test.current.append("a", ["after"], { chain }),
        test.current.append("a", ["last"], { chain, urgent: true }),
      ];
      const other = test.current.append("a", ["other"], { chain: { broken: false } });
      await expect(failed).rejects.toThrow();
      for (const append of after) await expect(append).rejects.toBeInstanceOf(errors.BrokenChainError);
      const later = test.current.append("a", ["later"], { chain });
      await expect(later).rejects.toBeInstanceOf(errors.BrokenChainError);
      expect([await before, await other]).toEqual([1, 2]);
      expect((await readAll(test.current, "a")).map(({ payload }) => payload)).toEqual(["before", "other"]);
    });

    it("reads pages: after an index, up to a limit, and nothing at the end", async () => {
      await test.current.append("a", upTo(10));
      expect((await test.current.read("a", 3, 4)).map(({ index }) => index)).toEqual([4, 5, 6, 7]);
      expect(await test.current.read("a", 10)).toEqual([]);
      expect(await test.current.read("a", 3, 0)).toEqual([]);
    });

    it("ends a page of large events early and still reads them all", async () => {
      await test.current.append("a", Array(12).fill("x".repeat(900_000)));
      const first = await test.current.read("a", 0, 12);
      expect(first.length).toBeGreaterThan(0);
      expect((await readAll(test.current, "a", 12)).map(({ index }) => index)).toEqual(upTo(12));
    });

    if (survivesClosing)
      it("finds everything again after it was closed and opened", async () => {
        await test.current.append("a", upTo(300));
        const before = await readAll(test.current, "a");
        await test.reopen();
        const after = await readAll(test.current, "a");
        expect(after.map(({ index, at, json }) => [index, at, json])).toEqual(
          before.map(({ index, at, json }) => [index, at, json]),
        );
        expect(await test.current.append("a", ["next"])).toBe(301);
      });

    it("commits what still waits when it is closed, and refuses what comes after", async () => {
      const waiting = test.current.append("a", ["last words"]);
      await test.current.close();
      expect(await waiting).toBe(1);
      const after = await Promise.allSettled([
        test.current.append("a", [1]),
        test.current.read("a", 0),
        test.current.head("a"),
        test.current.acquire("a"),
        test.current.trim("a", 1),
        test.current.archive("a"),
        test.current.delete("a"),
        test.current.orphaned(),
      ]);
      expect(after.map(codeOf)).toEqual(Array(8).fill("closed"));
    });
  });

  describe("conditions", () => {
    it("refuses an append whose expected index is not the present one", async () => {
      expect(await test.current.append("a", ["first"], { expected: 0 })).toBe(1);
      await expect(test.current.append("a", ["x"], { expected: 0 })).rejects.toMatchObject({ actual: 1 });
      await expect(test.current.append("a", ["x"], { expected: 2 })).rejects.toBeInstanceOf(
        errors.IndexConflictError,
      );
      expect(await test.current.append("a", ["second"], { expected: 1 })).toBe(2);
    });

    it("lets exactly one of many racing appends with the same expectation win", async () => {
      await test.current.append("a", ["first"]);
      const race = await Promise.allSettled(
        upTo(20).map((n) => test.current.append("a", [n], { expected: 1 })),
      );
      expect(race.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(await test.current.head("a")).toBe(2);
    });

    it("appends to several streams all or nothing", async () => {
      expect(
        await test.current.appendAll([
          { stream: "a", events: [1, 2] },
          { stream: "b", events: [1] },
          { stream: "a", events: [3], expected: 2 },
        ]),
      ).toEqual([2, 1, 3]);
      const half = test.current.appendAll([
        { stream: "a", events: ["never"] },
        { stream: "b", events: ["never"], expected: 7 },
      ]);
      await expect(half).rejects.toBeInstanceOf(errors.IndexConflictError);
      expect([await test.current.head("a"), await test.current.head("b")]).toEqual([3, 1]);
    });

    it("fails a fenced or conflicting stream alone within one group commit", async () => {
      const lease = await test.current.acquire("fenced");
      await test.current.append("fenced", ["owned"], { epoch: lease.epoch });
      await test.current.append("conflict", ["first"]);
      const flushes = test.current.stats().flushes;
      const outcomes = await Promise.allSettled([
        test.current.append("a", [1]),
        test.current.append("fenced", ["stale"], { epoch: lease.epoch - 1 }),
        test.current.append("conflict", ["x"], { expected: 9 }),
        test.current.append("fenced", ["owner"], { epoch: lease.epoch }),
        test.current.append("b", [1]),
      ]);
      expect(test.current.stats().flushes).toBe(flushes + 1);
      expect(outcomes.map(codeOf)).toEqual([1, "fenced", "index_conflict", 2, 1]);
      expect((await readAll(test.current, "fenced")).map(({ payload }) => payload)).toEqual([
        "owned",
        "owner",
      ]);
    });
  });
}
