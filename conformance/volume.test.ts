import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "./testing/fuzz/random.ts";
import { type ProofAgent, startProofAgent } from "./testing/proof-agent.ts";
import { proofExecutor } from "./testing/proof-executor.ts";
import { collect, joined, type SeenEvent, taskIdIn } from "./testing/seen.ts";
import { SPEAKERS, type Speaking, taskOf } from "./testing/speakers.ts";

const SEED = Number(process.env.PARLEY_SEED ?? Date.now() % 1_000_000);
/** What goes wrong when text is cut in the wrong place: surrogate pairs, joiners, marks, line ends, frames within frames. */
const ALPHABET = [
  "a",
  "é",
  "ß",
  "漢",
  "🎯",
  "👩‍👩‍👧",
  "e\u0301",
  "\u200d",
  "\u2028",
  "\r\n",
  "\n\n",
  "data: ",
  "\\",
  '"',
  "⟦",
  "⟧",
  "\u0000",
  "\ufeff",
];

describe.each([true, false])("high volume, with coalescing %s", (coalesce) => {
  let agent: ProofAgent;
  beforeAll(async () => {
    agent = await startProofAgent({ executor: proofExecutor, coalesce });
  });
  afterAll(() => agent.stop());

  describe.each(SPEAKERS)("in $name", (speaker) => {
    let me: Speaking;
    beforeAll(() => {
      me = speaker.at(agent.url);
    });

    it.each([700, 10_000])(
      "S0.18: %i chunks for one question arrive completely and in order",
      async (count) => {
        const events = await collect(await me.stream(`pieces ${count}`));
        const whole = Array.from({ length: count }, (_, n) => `${n} `).join("");
        expect(Object.values(joined(events))).toEqual([whole]);
        if (!coalesce) expect(events.length).toBeGreaterThanOrEqual(count + 4);
        expect(isAscending(events)).toBe(true);
        expect(events.at(-1)?.state).toBe("completed");
      },
    );

    it("S3.1–4, S3.6–7, invariant 9: two interleaved artifacts stay separate, each starting with append=false", async () => {
      const events = await collect(await me.stream("both 300"));
      const texts = Object.values(joined(events));
      const side = (letter: string) => Array.from({ length: 300 }, (_, n) => `${letter}${n} `).join("");
      expect(texts).toEqual([side("l"), side("r")]);
      const pieces = events.flatMap(({ artifact }) => artifact ?? []);
      for (const key of new Set(pieces.map((piece) => piece.key))) {
        const [first, ...later] = pieces.filter((piece) => piece.key === key);
        expect([first?.append, ...new Set(later.map(({ append }) => append))]).toEqual([false, true]);
        expect(later.filter(({ last }) => last)).toEqual([later.at(-1)]);
      }
      if (!coalesce) expect(pieces[0]?.key).not.toBe(pieces[1]?.key);
    });

    it(`S2.2–3, invariants 9 and 11: any split of any text joins to the final text, byte for byte (seed ${SEED})`, async () => {
      const random = new Random(SEED);
      for (let round = 0; round < 15; round++) {
        const text = Array.from({ length: 1 + random.below(120) }, () => random.pick(ALPHABET)).join("");
        const events = await collect(await me.stream(`say ${JSON.stringify(split(text, random))}`));
        expect(Object.values(joined(events))).toEqual([text]);
        // What the live stream showed, what is asked for later and what waiting returns are one and the same.
        expect(taskOf(await me.get(taskIdIn(events[0]))).artifacts).toEqual([text]);
        expect(taskOf(await me.send(`say ${JSON.stringify(split(text, random))}`)).artifacts).toEqual([text]);
      }
    });
  });
});

/** Cuts text anywhere between code points, into pieces of 1 to 10 of them. */
function split(text: string, random: Random): string[] {
  const points = [...text];
  const pieces: string[] = [];
  while (points.length > 0) pieces.push(points.splice(0, 1 + random.below(10)).join(""));
  return pieces;
}

function isAscending(events: readonly SeenEvent[]): boolean {
  const indices = events.flatMap(({ index }) => (index === undefined ? [] : [Number(index)]));
  return indices.every((index, position) => position === 0 || index > (indices[position - 1] ?? 0));
}
