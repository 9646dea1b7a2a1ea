import { describe, expect, it } from "vitest";
import type { StreamState } from "../event-store.ts";
import { NEW_STREAM } from "../event-store.ts";
import type { PageReader } from "../events/page-reader.ts";
import { RecordedEvent } from "../events/recorded-event.ts";
import { openMemoryJournal } from "../memory/memory-journal.ts";
import { type Follower, Tail } from "./tail.ts";
import { Tails } from "./tails.ts";

const event = (index: number) => new RecordedEvent(index, 0, String(index));
const budget = () => ({ characters: 0, shed() {} });
const newFollower = (): Follower => ({ cursor: 1, live: false, wake: undefined });
const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

/** A reader of a stream whose state changes between looks and whose table holds these events. */
function reader(
  states: (() => StreamState)[],
  events: readonly RecordedEvent[],
): Pick<PageReader, "stateOf" | "rows"> {
  let looks = 0;
  return {
    stateOf: async () => (states[Math.min(looks++, states.length - 1)] ?? (() => NEW_STREAM))(),
    rows: async (_id, after) => events.filter(({ index }) => index > after),
  };
}
const at = (head: number) => (): StreamState => ({ ...NEW_STREAM, id: 1, head });

describe("Tails", () => {
  it("deliver what is committed while a tail is being opened", async () => {
    const tails = new Tails(reader([at(1), at(2)], [event(2)]), undefined, 1_000);
    const follower = newFollower();
    const tail = await tails.join("s", follower);
    await settle();
    expect(tail.take(follower)?.map(({ index }) => index)).toEqual([2]);
    await tails.close();
  });

  it("read what another node wrote when a commit of this node leaves a gap", async () => {
    const tails = new Tails(reader([at(1)], [event(2), event(3)]), undefined, 1_000);
    const follower = newFollower();
    const tail = await tails.join("s", follower);
    tails.committed("s", 1, [event(3)]);
    await settle();
    expect(tail.take(follower)?.map(({ index }) => index)).toEqual([2, 3]);
    await tails.close();
  });

  it("end the followers that joined while the opening failed", async () => {
    const failing = () => {
      throw new Error("connection lost");
    };
    const tails = new Tails(reader([at(1), failing], []), undefined, 1_000);
    const first = tails.join("s", newFollower()).catch(() => "failed");
    await Promise.resolve();
    await Promise.resolve();
    const second = await tails.join("s", newFollower()).catch(() => undefined);
    expect(await first).toBe("failed");
    expect(second === undefined || second.ended !== undefined).toBe(true);
    await tails.close();
  });
});

describe("a tail", () => {
  it("takes no commit that leaves a gap", () => {
    const tail = new Tail("s", 1, 1, budget());
    expect(tail.push([event(3)])).toBe(false);
    expect(tail.head).toBe(1);
  });

  it("lets its followers read to the end when the journal is closed under them", async () => {
    const journal = openMemoryJournal();
    await journal.append("a", [1]);
    const reader = journal.follow("a", 0)[Symbol.asyncIterator]();
    await reader.next();
    const live = reader.next();
    await journal.append("a", [2]);
    await live;
    await journal.append("a", [3]);
    await journal.append("a", [4]);
    await journal.close();
    const rest = [await reader.next(), await reader.next()];
    expect(rest.map(({ value }) => value?.map(({ index }: RecordedEvent) => index))).toEqual([[3], [4]]);
    await expect(reader.next()).rejects.toMatchObject({ code: "closed" });
  });

  it("gives way to busy ones when all together hold too much", async () => {
    const journal = openMemoryJournal();
    const large = "x".repeat(900_000);
    const quiet = [];
    for (let n = 0; n < 9; n++) {
      await journal.append(`quiet-${n}`, [0]);
      const reader = journal.follow(`quiet-${n}`, 1)[Symbol.asyncIterator]();
      const first = reader.next();
      await settle();
      for (let k = 0; k < 9; k++) await journal.append(`quiet-${n}`, [large]);
      quiet.push(reader, first);
    }
    await journal.append("busy", [1]);
    const reader = journal.follow("busy", 0)[Symbol.asyncIterator]();
    await reader.next();
    const live = reader.next();
    await settle();
    await journal.append("busy", [2]);
    await live;
    for (const n of [3, 4]) await journal.append("busy", [n]);
    expect((await reader.next()).value?.map(({ index }: RecordedEvent) => index)).toEqual([3]);
    await journal.close();
  });
});
