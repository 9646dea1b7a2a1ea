import type { StreamResponse } from "@parley/a2a";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { SessionEvent } from "../../domain/session-event.ts";
import { emptySession, evolve } from "../../domain/session-state.ts";
import { endingOf } from "../run-ending.ts";
import { piece, status, task } from "../testing/agent-events.ts";
import { joinedAnswer, joinedTexts } from "../testing/joined-answer.ts";
import { RunTransform } from "./run-transform.ts";

const text = fc.string({ unit: "binary", minLength: 1, maxLength: 40 }).filter((it) => it.isWellFormed());
const NAMES = ["streaming_result", "current_result", "report", "thinking", "execution_plan_streaming"];

/** An agent's artifacts, how each is cut, and in which order the pieces come. */
const streams = fc.record({
  artifacts: fc.array(
    fc.record({ text, name: fc.constantFrom(...NAMES), cuts: fc.array(fc.nat(40), { maxLength: 8 }) }),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
  order: fc.array(fc.nat(3), { maxLength: 60 }),
  /** After which pieces the whole task is looked at, and how far behind its record is. */
  looks: fc.array(fc.record({ at: fc.nat(30), behind: fc.nat(5) }), { maxLength: 3 }),
});

type Streams = typeof streams extends fc.Arbitrary<infer Value> ? Value : never;

// Anywhere, in the middle of a character too.
function cut(whole: string, cuts: readonly number[]): string[] {
  const places = [...new Set([0, ...cuts.filter((at) => at < whole.length), whole.length])].sort(
    (a, b) => a - b,
  );
  return places.slice(1).map((end, index) => whole.slice(places[index], end));
}

function eventsOf({ artifacts, order, looks }: Streams): StreamResponse[] {
  const left = artifacts.map(({ text: whole, cuts }) => cut(whole, cuts));
  const sent = artifacts.map(() => "");
  const nameOf = (at: number) => artifacts[at]?.name ?? "";
  const events: StreamResponse[] = [];
  const turns = [...order, ...left.flatMap((pieces, at) => pieces.map(() => at))];
  for (const turn of turns) {
    const at = turn % artifacts.length;
    const next = left[at]?.shift();
    if (next === undefined) continue;
    events.push(piece(`a${at}`, next, { name: nameOf(at), append: sent[at] !== "" }));
    sent[at] += next;
    const look = looks.find((one) => one.at === events.length);
    if (look) events.push(...looked(sent, nameOf, look.behind));
  }
  return [...events, status("COMPLETED")];
}

/** The task as its record has it, which may lack the last of each text; that comes again then. */
function looked(sent: readonly string[], nameOf: (at: number) => string, behind: number): StreamResponse[] {
  const shown = sent.map((whole, at) => ({ at, text: whole.slice(0, Math.max(0, whole.length - behind)) }));
  const known = shown.filter(({ text: recorded }) => recorded !== "");
  const record = known.map(({ at, text: recorded }) => {
    return { artifactId: `a${at}`, name: nameOf(at), parts: [{ text: recorded }] };
  });
  const again = known.flatMap(({ at, text: recorded }) => {
    const missing = sent[at]?.slice(recorded.length) ?? "";
    return missing === "" ? [] : [piece(`a${at}`, missing, { name: nameOf(at), append: true })];
  });
  return [task("WORKING", record), ...again];
}

it("invariant 9: however an agent's texts are cut, interleaved and shown again, a reader of the tokens has just these texts", () => {
  fc.assert(
    fc.property(streams, (given) => {
      const transform = new RunTransform("r1");
      const told = eventsOf(given).flatMap((event) => transform.accept(event));
      const expected = Object.fromEntries(given.artifacts.map(({ text: whole }, at) => [`a${at}`, whole]));
      expect(joinedTexts(told)).toEqual(expected);
      for (const event of told)
        if (event.type === "agent_token") expect(event.text.isWellFormed()).toBe(true);
    }),
    { numRuns: 500 },
  );
});

it("invariant 9: the tokens of the answer joined are the content of agent_complete, byte for byte, whatever is taken back", () => {
  const odd = fc.array(
    fc.oneof(
      fc
        .tuple(text, fc.constantFrom("a", "b"), fc.boolean())
        .map(([it, id, append]) => piece(id, it, { append })),
      text.map((it) => status("WORKING", it)),
      text.map((it) => piece("whole", it, { name: "partial_result" })),
      text.map((it) => piece("d", it, { name: "output_delta" })),
      text.map((it) => task("WORKING", [{ artifactId: "a", parts: [{ text: it }] }])),
      text.map((it) => status("COMPLETED", it)),
    ),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(odd, (events) => {
      const transform = new RunTransform("r1");
      const told = [...events, status("COMPLETED")].flatMap((event) => transform.accept(event));
      const start: SessionEvent = {
        ...{ type: "agent_start" as const, runId: "r1", agent: "a", agentUrl: "u", contextId: "c" },
        ...{ inputSnapshotHash: "h", messageId: "m" },
      };
      const session = [start, ...told].reduce(evolve, emptySession("s"));
      const [complete] = endingOf(session, { runId: "r1", state: "completed", heard: new Set() });
      expect(complete).toMatchObject({ type: "agent_complete", content: joinedAnswer(told) });
      expect(transform.answer).toBe(joinedAnswer(told));
    }),
    { numRuns: 500 },
  );
});
