import { describe, expect, it } from "vitest";
import * as errors from "../errors.ts";
import type { Projection } from "../projection.ts";
import { codeOf, type JournalUnderTest, readAll, upTo } from "./journal-fixture.ts";

/** Sums the numbers of each stream, and throws on "poison". */
const sums: Projection = {
  name: "sums",
  migrations: [
    {
      sqlite: "CREATE TABLE sums (stream TEXT PRIMARY KEY, total INTEGER NOT NULL)",
      postgres: "CREATE TABLE sums (stream text PRIMARY KEY, total bigint NOT NULL)",
    },
  ],
  wants: ({ stream }) => stream !== "unwanted",
  async apply(transaction, commits) {
    for (const { stream, events } of commits) {
      if (events.some(({ payload }) => payload === "poison")) throw new Error("cannot sum poison");
      const total = events.reduce((sum, { payload }) => sum + Number(payload), 0);
      await transaction.query(
        `INSERT INTO sums (stream, total) VALUES ($1, $2)
         ON CONFLICT (stream) DO UPDATE SET total = sums.total + excluded.total`,
        [stream, total],
      );
    }
  },
  async deleted(transaction, stream) {
    await transaction.query("DELETE FROM sums WHERE stream = $1", [stream]);
  },
};

/** Tables that are written with the events they come from. */
export function describeProjections(test: JournalUnderTest): void {
  const total = async (stream: string) => {
    const rows = await test.current.database.query("SELECT total FROM sums WHERE stream = $1", [stream]);
    return rows[0]?.total;
  };

  describe("projections", () => {
    it("are in step with the events as soon as an append is acknowledged", async () => {
      await test.reopen({ projections: [sums] });
      for (const n of upTo(20)) {
        await test.current.append("a", [n]);
        expect(await total("a")).toBe((n * (n + 1)) / 2);
      }
    });

    it("fail only the append that they throw on, and leave no trace of it", async () => {
      await test.reopen({ projections: [sums] });
      const outcomes = await Promise.allSettled([
        test.current.append("a", [1]),
        test.current.append("b", ["poison"]),
        test.current.append("a", [2]),
        test.current.appendAll([
          { stream: "a", events: [100] },
          { stream: "c", events: ["poison"] },
        ]),
      ]);
      expect(outcomes.map(codeOf)).toEqual([1, "projection_failed", 2, "projection_failed"]);
      expect(await total("a")).toBe(3);
      await expect(test.current.head("b")).rejects.toBeInstanceOf(errors.UnknownStreamError);
    });

    it("are notified of a commit once it is visible and before its caller, and of no failure", async () => {
      const told: Promise<unknown>[] = [];
      const committed = () => told.push(total("a"));
      await test.reopen({ projections: [{ ...sums, committed }] });
      const appended = test.current.append("a", [7]).then(() => told.length);
      expect([await appended, await told[0]]).toEqual([1, 7]);
      await test.current.append("a", ["poison"]).catch(() => {});
      expect(told).toHaveLength(1);
    });

    it("cannot hide that one of their statements failed", async () => {
      const careless: Projection = {
        name: "careless",
        migrations: [],
        wants: () => true,
        apply: async (transaction, commits) => {
          const harmful = commits.some(({ events }) => events.some(({ payload }) => payload === "harm"));
          if (harmful) await transaction.query("SELECT * FROM nowhere").catch(() => {});
        },
        deleted: async () => {},
      };
      await test.reopen({ projections: [careless] });
      const outcomes = await Promise.allSettled(
        ["x", "harm", "y"].map((text) => test.current.append("a", [text])),
      );
      expect(outcomes.map(codeOf)).toEqual([1, "projection_failed", 2]);
      expect((await readAll(test.current, "a")).map(({ payload }) => payload)).toEqual(["x", "y"]);
    });

    it("are reported as the cause of their own errors, whatever the message", async () => {
      const wordy: Projection = {
        ...sums,
        apply: async (_, commits) => {
          if (commits.some(({ stream }) => stream === "b"))
            throw new Error("unknown connection kind: timeout");
        },
      };
      await test.reopen({ projections: [wordy] });
      const outcomes = await Promise.allSettled(
        ["a", "b", "c"].map((stream) => test.current.append(stream, [1])),
      );
      expect(outcomes.map(codeOf)).toEqual([1, "projection_failed", 1]);
    });

    it("get only the commits that they want", async () => {
      await test.reopen({ projections: [sums] });
      await Promise.all([test.current.append("unwanted", [1]), test.current.append("a", [2])]);
      await test.current.append("unwanted", ["poison"]);
      expect([await total("unwanted"), await total("a")]).toEqual([undefined, 2]);
    });

    it("forget a deleted stream", async () => {
      await test.reopen({ projections: [sums] });
      await test.current.append("a", [1]);
      await test.current.delete("a");
      expect(await total("a")).toBeUndefined();
    });

    it("can be written beside the events in a transaction that a throw rolls back", async () => {
      await test.reopen({ projections: [sums] });
      const { database } = test.current;
      await database.transaction((transaction) => transaction.query("INSERT INTO sums VALUES ('x', 1)"));
      const failed = database.transaction(async (transaction) => {
        await transaction.query("UPDATE sums SET total = 2");
        throw new Error("changed my mind");
      });
      await expect(failed).rejects.toThrow("changed my mind");
      expect(await total("x")).toBe(1);
    });
  });
}
