import { describe, expect, it } from "vitest";
import * as errors from "../errors.ts";
import type { RecordedEvent } from "../events/recorded-event.ts";
import { codeOf, collect, type JournalUnderTest, upTo } from "./journal-fixture.ts";

async function nextIndices(follower: AsyncIterator<readonly RecordedEvent[]>): Promise<number[]> {
  const next = await follower.next();
  return next.done ? [] : next.value.map(({ index }) => index);
}

/** History, then live: no gap, no repeat, one order, bounded. */
export function describeFollowing(test: JournalUnderTest): void {
  describe("follow", () => {
    it("delivers history and then live events, from any index, without a gap or a repeat", async () => {
      const total = 400;
      await test.current.append("a", upTo(100));
      const starts = [0, 1, 50, 99, 100];
      const followers = starts.map((after) => collect(test.current, "a", after, total - after));
      for (let n = 101; n <= total; n++) {
        void test.current.append("a", [n]);
        if (n % 10 === 0) await new Promise(setImmediate);
      }
      for (const [i, events] of (await Promise.all(followers)).entries()) {
        expect(events.map(({ index }) => index)).toEqual(upTo(total).slice(starts[i]));
        expect(events.map(({ payload }) => payload)).toEqual(upTo(total).slice(starts[i]));
      }
    });

    it("delivers an event only after its commit", async () => {
      await test.current.append("a", [0]);
      const committed = new Set([1]);
      const seen = (async () => {
        let live = 0;
        for await (const batch of test.current.follow("a", 1)) {
          for (const { index } of batch) {
            // A read goes to the storage itself: what was delivered must be there already.
            const [stored] = await test.current.read("a", index - 1, 1);
            expect(stored?.index).toBe(index);
            live++;
          }
          if (live === 30) return;
        }
      })();
      for (let n = 1; n <= 30; n++) committed.add(await test.current.append("a", [n]));
      await seen;
      expect(committed.size).toBe(31);
    });

    it("is not disturbed by other followers that join and leave at the same moment", async () => {
      await test.current.append("a", [1]);
      const patient = collect(test.current, "a", 0, 2);
      for (let n = 0; n < 20; n++) {
        void collect(test.current, "a", 0, 1, AbortSignal.abort());
        await new Promise(setImmediate);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
      await test.current.append("a", [2]);
      expect((await patient).map(({ payload }) => payload)).toEqual([1, 2]);
    });

    it("stops when its signal aborts, also while it waits", async () => {
      await test.current.append("a", [1]);
      const controller = new AbortController();
      const seen: number[] = [];
      const done = (async () => {
        for await (const batch of test.current.follow("a", 0, controller.signal)) {
          seen.push(...batch.map(({ index }) => index));
        }
      })();
      while (seen.length === 0) await new Promise(setImmediate);
      controller.abort();
      await done;
      expect(seen).toEqual([1]);
    });

    it("delivers one order to all followers and reads nothing for those that keep up", async () => {
      await test.current.append("a", [0]);
      const followers = upTo(200).map(() => collect(test.current, "a", 0, 101));
      await new Promise((resolve) => setTimeout(resolve, 50));
      const { reads, flushes } = test.current.stats();
      for (const n of upTo(100)) await test.current.append("a", [n]);
      const [first = [], ...rest] = (await Promise.all(followers)).map((events) =>
        events.map(({ json }) => json),
      );
      for (const other of rest) expect(other).toEqual(first);
      expect(test.current.stats().reads - reads).toBeLessThanOrEqual(test.current.stats().flushes - flushes);
    });

    it("cuts a follower that falls too far behind, and lets it resume without a loss", async () => {
      await test.current.append("a", [1]);
      const slow = test.current.follow("a", 0)[Symbol.asyncIterator]();
      const seen = await nextIndices(slow);
      const live = nextIndices(slow);
      await test.current.append("a", [2]);
      seen.push(...(await live));
      expect(seen).toEqual([1, 2]);
      const total = 20_002;
      for (let head = 2; head < total; ) head = await test.current.append("a", upTo(1_000));
      const cut = await slow.next().catch((error: unknown) => error);
      expect(cut).toBeInstanceOf(errors.FollowerCutError);
      expect(cut).toMatchObject({ resumeAfter: 2 });
      const resumed = await collect(test.current, "a", 2, total - 2);
      expect(resumed.map(({ index }) => index)).toEqual(upTo(total).slice(2));
    });

    it("lets a follower read a long history at its own pace", async () => {
      for (let head = 0; head < 20_000; ) head = await test.current.append("a", upTo(1_000));
      const slow = test.current.follow("a", 0)[Symbol.asyncIterator]();
      const seen: number[] = [];
      while (seen.length < 25_000) {
        seen.push(...(await nextIndices(slow)));
        if (seen.length <= 5_000) await test.current.append("a", upTo(1_000));
      }
      await slow.return?.(undefined);
      expect(seen).toEqual(upTo(25_000));
    });

    it("ends with an error when the journal is closed or the stream deleted", async () => {
      await test.current.append("a", [1]);
      await test.current.append("b", [1]);
      const deleted = collect(test.current, "a", 0, 2);
      const closed = collect(test.current, "b", 0, 2);
      const outcomes = Promise.allSettled([deleted, closed]);
      await new Promise((resolve) => setTimeout(resolve, 20));
      await test.current.delete("a");
      await test.current.close();
      expect((await outcomes).map(codeOf)).toEqual(["stream_deleted", "closed"]);
    });
  });
}
