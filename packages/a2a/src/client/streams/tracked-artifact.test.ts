import { cpuTime } from "@parley/testing/cpu-time.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { silentClientObserver } from "../client-observer.ts";
import { piece, task } from "../testing/odd-agent.ts";
import { TaskTracker, type TrackedEvent } from "./task-tracker.ts";
import {
  appended,
  joined,
  partsAfter,
  partsUpTo,
  placeAfter,
  START,
  TrackedArtifact,
} from "./tracked-artifact.ts";

// Few letters, so that the text repeats itself and overlaps are easily mistaken.
const pieces = fc.array(
  fc.string({ unit: fc.constantFrom("a", "b", "é", "👍🏽"), minLength: 1, maxLength: 4 }),
  {
    minLength: 1,
    maxLength: 25,
  },
);

const update = (text: string, append: boolean) => piece(text, append) as never;
const working = (text: string) => task("WORKING", { a: text }) as never;

/** The text that a reader of these events has, from what it had before. */
function readOn(before: string, events: readonly TrackedEvent[]): string {
  return events.reduce((text, { event }) => {
    if (!("artifactUpdate" in event)) return text;
    const { artifact, append } = event.artifactUpdate;
    return (append ? text : "") + artifact.parts.map((part) => part.text ?? "").join("");
  }, before);
}

/** A stream that was cut: where, what the snapshot had, and how many pieces the agent repeats after it. */
const cuts = fc.record({
  sent: pieces,
  seen: fc.nat(25),
  ahead: fc.nat(10),
  repeated: fc.nat(10),
});

function replay({
  sent,
  seen,
  ahead,
  repeated,
}: {
  sent: string[];
  seen: number;
  ahead: number;
  repeated: number;
}) {
  const at = (count: number) => Math.min(count, sent.length);
  const text = (count: number) => sent.slice(0, at(count)).join("");
  const tracker = new TaskTracker(silentClientObserver);
  let read = readOn("", tracker.accept({ task: task("WORKING") as never }));
  for (const [place, it] of sent.slice(0, at(seen)).entries()) {
    read = readOn(read, tracker.accept(update(it, place > 0)));
  }
  tracker.reconnected();
  const snapshot = at(seen + ahead);
  if (snapshot > 0) read = readOn(read, tracker.accept({ task: working(text(snapshot)) }));
  const from = Math.max(0, snapshot - repeated);
  return { tracker, text, snapshot, from, read };
}

describe("pieces after a snapshot (invariants 7 and 9)", () => {
  it("are yielded once if the agent neither repeats nor omits any, whatever their text", () => {
    fc.assert(
      fc.property(cuts, (cut) => {
        const { tracker, text, snapshot, read: before } = replay({ ...cut, repeated: 0 });
        let read = before;
        for (let place = snapshot; place < cut.sent.length; place++) {
          const event = update(cut.sent[place] ?? "", place > 0);
          // The agent has stored what it sends.
          if (tracker.needsRecord(event)) tracker.learn(working(text(place + 1)));
          read = readOn(read, tracker.accept(event));
        }
        expect(read).toBe(cut.sent.join(""));
      }),
      { numRuns: 500 },
    );
  });

  it("are correct at the end if the agent repeats, and flagged where they were corrected", () => {
    fc.assert(
      fc.property(cuts, (cut) => {
        const { tracker, text, snapshot, from, read: before } = replay(cut);
        const flagged: unknown[] = [];
        let read = before;
        for (let place = from; place < cut.sent.length; place++) {
          const event = update(cut.sent[place] ?? "", place > 0);
          if (tracker.needsRecord(event)) tracker.learn(working(text(Math.max(snapshot, place + 1))));
          read = readOn(read, tracker.accept(event));
        }
        const expected = cut.sent.join("");
        const wasRight = read === expected;
        const last = tracker.reconcile(task("COMPLETED", { a: expected }) as never);
        flagged.push(...last.filter(({ gap }) => gap));
        expect(readOn(read, last)).toBe(expected);
        if (!wasRight && !expected.startsWith(read)) expect(flagged).toHaveLength(1);
      }),
      { numRuns: 500 },
    );
  });
});

describe("a tracked repetition", () => {
  const part = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 3 }).map((text) => ({ text })),
    fc.constantFrom({ data: 1 }, { data: 2 }),
  );

  it("continues exactly as long as its text matches the known text, however it is split", () => {
    const property = fc.property(fc.array(part), fc.array(part), fc.array(part), (known, first, more) => {
      const whole = joined(known);
      const said = joined(first);
      const place = placeAfter(START, said, whole);
      expect(place !== undefined).toBe(partsAfter(said, whole) !== undefined);
      if (!place) return;
      expect(partsUpTo(place, whole)).toEqual(said);
      const isKnown = partsAfter(appended([...said], more), whole) !== undefined;
      expect(placeAfter(place, more, whole) !== undefined).toBe(isKnown);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it("costs in proportion to the repeated text, not to the known text", () => {
    const texts = Array.from({ length: 40_000 }, (_, n) => [{ text: `piece ${n} ` }]);
    const artifact = new TrackedArtifact([]);
    for (const text of texts) artifact.append(text);
    artifact.mayRepeat(true);
    const start = cpuTime();
    const outcomes = texts.map((text, n) => (n === 0 ? artifact.begin(text) : artifact.append(text)));
    expect(cpuTime() - start).toBeLessThan(5_000);
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(["repeated"]));
    expect(artifact.append([{ text: "news" }])).toEqual({ kind: "append", parts: [{ text: "news" }] });
  });
});
