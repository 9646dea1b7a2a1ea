import { describe, expect, it } from "vitest";
import * as errors from "../errors.ts";
import { collect, type JournalUnderTest, readAll, upTo } from "./journal-fixture.ts";

/** Trimming, archiving and deleting. */
export function describeShrinking(test: JournalUnderTest, survivesClosing: boolean): void {
  describe("shrinking", () => {
    it("trims events for good and reports that to later readers", async () => {
      await test.current.append("a", upTo(10));
      await test.current.trim("a", 6);
      await expect(test.current.read("a", 5)).rejects.toMatchObject({ code: "events_trimmed", first: 7 });
      await expect(collect(test.current, "a", 0, 1)).rejects.toBeInstanceOf(errors.EventsTrimmedError);
      expect((await test.current.read("a", 6)).map(({ index }) => index)).toEqual([7, 8, 9, 10]);
      await test.current.trim("a", 10);
      expect(await test.current.read("a", 10)).toEqual([]);
      expect(await test.current.append("a", ["next"])).toBe(11);
      await expect(test.current.trim("a", 12)).rejects.toBeInstanceOf(errors.IndexBeyondHeadError);
    });

    if (survivesClosing)
      it("leaves nothing of what was trimmed in the table, even out of one append", async () => {
        await test.current.append("a", ["secret one", "secret two", "public"]);
        await test.current.trim("a", 2);
        const rows = await test.current.database.query<{ body: string }>("SELECT body FROM events");
        expect(rows.map(({ body }) => body)).toEqual(['"public"']);
        await test.reopen();
        expect((await test.current.read("a", 2)).map(({ payload }) => payload)).toEqual(["public"]);
      });

    it("archives a stream so that reading, following and appending go on as before", async () => {
      await test.current.append(
        "a",
        upTo(2_500).map((n) => ({ n, text: `{"n":${n}}` })),
      );
      const before = await readAll(test.current, "a", 1_000);
      await test.current.archive("a");
      await test.current.append("a", ["after"]);
      if (survivesClosing) await test.reopen();
      const after = await collect(test.current, "a", 0, 2_501);
      expect(after.slice(0, -1).map(({ index, at, json }) => [index, at, json])).toEqual(
        before.map(({ index, at, json }) => [index, at, json]),
      );
      await test.current.archive("a");
      expect((await readAll(test.current, "a")).at(-1)?.payload).toBe("after");
      await test.current.trim("a", 2_000);
      await expect(test.current.read("a", 1_999)).rejects.toBeInstanceOf(errors.EventsTrimmedError);
      expect((await readAll(test.current, "a", 100, 2_000)).map(({ index }) => index)).toEqual(
        upTo(2_501).slice(2_000),
      );
    });

    it("never restores trimmed events, whatever is trimmed and archived at the same time", async () => {
      await test.current.append("a", upTo(5));
      await Promise.all([test.current.trim("a", 4), test.current.trim("a", 2), test.current.archive("a")]);
      await expect(test.current.read("a", 3)).rejects.toBeInstanceOf(errors.EventsTrimmedError);
      expect((await test.current.read("a", 4)).map(({ index }) => index)).toEqual([5]);
    });

    it("waits for an archive that is under way when it is closed", async () => {
      await test.current.append("a", upTo(3_000));
      const archiving = test.current.archive("a");
      await test.current.close();
      await archiving;
    });

    it("loses nothing when archives race with each other and with appends", async () => {
      await test.current.append("a", upTo(5));
      for (let round = 0; round < 10; round++) {
        await Promise.all([
          test.current.archive("a"),
          test.current.append("a", [round]),
          test.current.archive("a"),
          test.current.archive("a"),
          readAll(test.current, "a"),
        ]);
      }
      expect((await readAll(test.current, "a")).map(({ index }) => index)).toEqual(upTo(15));
    });

    it("deletes a stream: it is gone, its name is never used again, and others stay", async () => {
      await test.current.append("a", upTo(5));
      await test.current.append("b", upTo(5));
      await test.current.archive("a");
      await test.current.delete("a");
      if (survivesClosing) await test.reopen();
      await expect(test.current.read("a", 0)).rejects.toBeInstanceOf(errors.UnknownStreamError);
      await expect(test.current.append("a", [1])).rejects.toBeInstanceOf(errors.StreamDeletedError);
      await expect(test.current.delete("a")).rejects.toBeInstanceOf(errors.UnknownStreamError);
      await expect(test.current.acquire("a")).rejects.toBeInstanceOf(errors.JournalError);
      expect(await test.current.head("b")).toBe(5);
    });
  });
}
