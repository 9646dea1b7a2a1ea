import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { StorageFailedError } from "../errors.ts";
import type { AppendUnit, CommitPlan } from "./commit-plan.ts";
import { GroupCommit, type GroupCommitOptions } from "./group-commit.ts";

const LONG_MS = 60_000;

/** Writes down how many units each flush had; `hold` makes it wait. */
function groupCommit(options: GroupCommitOptions & { overlaps?: boolean }, hold?: () => Promise<void>) {
  const flushes: number[] = [];
  const commit = async (units: readonly AppendUnit[]): Promise<CommitPlan> => {
    flushes.push(units.length);
    await hold?.();
    return { outcomes: units.map(({ parts }) => parts.map(() => 1)), streams: [] };
  };
  return { flushes, writer: new GroupCommit(commit, () => {}, { overlaps: false, ...options }) };
}

const part = {
  stream: "a",
  events: [{ payload: 1, json: "1", bytes: 1, at: 0, merge: undefined }],
  expected: undefined,
  epoch: undefined,
};

describe("GroupCommit", () => {
  it("commits at once after a quiet moment, and gathers the appends after that", async () => {
    const { writer, flushes } = groupCommit({ flushEveryMs: 80 });
    await writer.add([part], false);
    const start = performance.now();
    await Promise.all([writer.add([part], false), writer.add([part], false)]);
    expect(performance.now() - start).toBeGreaterThan(60);
    expect(flushes).toEqual([1, 2]);
  });

  it("flushes urgent appends that are left over at once", async () => {
    const { writer, flushes } = groupCommit({ flushEveryMs: LONG_MS, flushAtEvents: 2 });
    await writer.add([part], false);
    const many = { ...part, events: [...part.events, ...part.events] };
    await Promise.all([writer.add([many], true), writer.add([part], true)]);
    expect(flushes).toEqual([1, 1, 1]);
  });

  it("flushes urgent appends at once", async () => {
    const { writer, flushes } = groupCommit({ flushEveryMs: LONG_MS });
    await writer.add([part], false);
    const patient = writer.add([part], false);
    await writer.add([part], true);
    await patient;
    expect(flushes).toEqual([1, 2]);
  });

  it("flushes at once when enough waits, and writes about that much at a time", async () => {
    const { writer, flushes } = groupCommit({ flushEveryMs: LONG_MS, flushAtEvents: 10 });
    await writer.add([part], false);
    await Promise.all(Array.from({ length: 30 }, () => writer.add([part], false)));
    expect(flushes).toEqual([1, 10, 10, 10]);
  });

  it("refuses waiting and new appends once the storage has failed", async () => {
    const { writer } = groupCommit({ flushEveryMs: LONG_MS });
    await writer.add([part], false);
    const waiting = writer.add([part], false);
    const failure = new StorageFailedError("the disk", "broken");
    writer.fail(failure);
    await expect(waiting).rejects.toBe(failure);
    await expect(writer.add([part], false)).rejects.toBe(failure);
  });

  it("writes nothing more once the storage has failed in the middle of a batch", async () => {
    const committed: number[] = [];
    const commit = async (units: readonly AppendUnit[]): Promise<CommitPlan> => {
      if (units.length > 1) throw new Error("one of them cannot be written");
      committed.push(committed.length + 1);
      if (committed.length === 2) throw new StorageFailedError("the disk", "broken");
      return { outcomes: [[1]], streams: [] };
    };
    const writer = new GroupCommit(commit, () => {}, { overlaps: false });
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => writer.add([part], false)));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
    expect(committed).toEqual([1, 2]);
  });

  it.each([true, false])("closes only when every flush has ended (overlapping: %s)", async (overlaps) => {
    let under = 0;
    const hold = async () => {
      under++;
      await sleep(30);
      under--;
    };
    const { writer, flushes } = groupCommit({ flushEveryMs: 0, flushAtEvents: 1, overlaps }, hold);
    const appends = Array.from({ length: 4 }, () => writer.add([part], true));
    await sleep(10);
    await writer.close();
    expect([under, flushes]).toEqual([0, [1, 1, 1, 1]]);
    await Promise.all(appends);
  });
});
