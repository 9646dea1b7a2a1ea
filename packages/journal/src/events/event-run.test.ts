import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_RUN_EVENTS, packRuns, unpackRun, withoutStart } from "./event-run.ts";
import { RecordedEvent } from "./recorded-event.ts";

// Texts that share much, with characters of one and of two code units, escapes and line breaks.
const text = fc.array(fc.constantFrom("token ", "a", "é", "😀", "😁", "\ud83d", "\n", '"', "👨‍👩‍👧"), {
  maxLength: 6,
});
const payload = fc.oneof(
  text.map((parts) => ({ artifactUpdate: { id: "c5be147d", text: parts.join(""), append: true } })),
  text.map((parts) => parts.join("")),
  fc.jsonValue(),
);
const events = fc
  .tuple(
    fc.nat(1_000),
    fc.array(fc.tuple(payload, fc.integer({ min: -5, max: 50 })), { minLength: 1, maxLength: 300 }),
  )
  .map(([start, items]) =>
    items.map(
      ([value, at], n) => new RecordedEvent(start + n + 1, 1_700_000_000_000 + at, JSON.stringify(value)),
    ),
  );
const facts = (list: readonly RecordedEvent[]) => list.map(({ index, at, json }) => [index, at, json]);
/** As a database gives it back: through UTF-8, where half a character does not survive. */
const stored = <Run extends { body: string }>(run: Run) => ({
  ...run,
  body: Buffer.from(run.body).toString(),
});

describe("runs of events", () => {
  it("come out of storage exactly as they went in, to the byte (invariant 11)", () => {
    fc.assert(
      fc.property(events, (list) => {
        const runs = packRuns(list).map(stored);
        expect(facts(runs.flatMap(unpackRun))).toEqual(facts(list));
      }),
      { numRuns: 500 },
    );
  });

  it("lose just their start when that is removed", () => {
    fc.assert(
      fc.property(events, fc.nat(1_400), (list, index) => {
        const [run] = packRuns(list);
        if (!run) throw new Error("There is a run");
        const all = unpackRun(run);
        const kept = withoutStart(run, Math.min(index, run.last - 1));
        const expected = all.filter((event) => event.index > Math.min(index, run.last - 1));
        expect(facts(kept ? unpackRun(stored(kept)) : all)).toEqual(facts(expected));
        if (kept) expect(kept.last).toBe(run.last);
      }),
      { numRuns: 300 },
    );
  });

  it("read what was written before there were runs: a row an event", () => {
    const [event] = unpackRun({ last: 7, at: 1, body: '{"a":[1,"2,3,4:5"]}' });
    expect([event?.index, event?.at, event?.payload]).toEqual([7, 1, { a: [1, "2,3,4:5"] }]);
  });

  it("stay small, so that a reader in the middle unpacks little", () => {
    const many = Array.from({ length: 1_000 }, (_, n) => new RecordedEvent(n + 1, 0, `"${n}"`));
    expect(packRuns(many).map(({ last }) => last)).toEqual([256, 512, 768, 1_000]);
    expect(MAX_RUN_EVENTS).toBe(256);
    const large = Array.from({ length: 4 }, (_, n) => new RecordedEvent(n + 1, 0, `"${"x".repeat(40_000)}"`));
    expect(packRuns(large)).toHaveLength(4);
  });

  it("cost little for pieces that are alike", () => {
    const json = (n: number) =>
      `{"artifactUpdate":{"taskId":"5152f41b-cf30-4f3e","text":"token ${n} ","append":true}}`;
    const pieces = Array.from({ length: 200 }, (_, n) => new RecordedEvent(n + 1, 0, json(n)));
    const [{ body = "" } = {}] = packRuns(pieces);
    expect(body.length).toBeLessThan(200 * 20);
  });
});
