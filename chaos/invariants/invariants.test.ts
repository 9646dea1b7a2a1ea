import { expect, it } from "vitest";
import type { Evidence } from "../evidence/evidence.ts";
import { judge } from "../report.ts";
import { LIES, PIECE, withTask } from "../testing/planted-lies.ts";
import { SESSION_EVENTS, smallEvidence, streamOf } from "../testing/small-evidence.ts";
import { INVARIANTS } from "./all.ts";
import { difference, verdictOf } from "./invariant.ts";

it("a flawless run holds every invariant and exercises each", () => {
  const said = judge(smallEvidence()).map(({ invariant, verdict, finding }) => [
    invariant.id,
    verdict,
    ...finding.violations,
  ]);
  expect(said).toEqual(INVARIANTS.map(({ id }) => [id, "holds"]));
});

it("an empty run exercises no invariant and reports none as held", () => {
  const good = smallEvidence();
  const empty: Evidence = {
    ...{ ...good, streams: new Map(), writes: [], leases: [], followers: [], commands: [], faults: [] },
    ...{
      calls: [],
      attempts: [],
      attacks: [],
      offlineClients: [],
      webhooks: [],
      ledger: [],
      processes: [],
      tables: { live: {}, rebuilt: {} },
    },
  };
  expect(new Set(judge(empty).map(({ verdict }) => verdict))).toEqual(new Set(["not exercised"]));
});

it.each(LIES)("%s is violated when %s", (id, _what, spoil) => {
  const good = smallEvidence();
  const judged = judge({ ...good, ...spoil(good) }).find(({ invariant }) => invariant.id === id);
  expect(judged?.verdict).toBe("violated");
});

it("a compacted task does not change its terminal state (8)", () => {
  const good = smallEvidence();
  const task = { id: "t1", status: { state: "TASK_STATE_COMPLETED" } };
  const compacted = withTask(good, [
    { created: {} },
    { task },
    { artifactUpdate: { ...PIECE, append: false } },
  ]);
  const judged = judge({ ...good, ...compacted }).find(({ invariant }) => invariant.id === "8");
  expect(judged?.verdict).toBe("holds");
});

it("an intruder's own task may have an id that another client chose for theirs (20)", () => {
  const good = smallEvidence();
  const taken = "0f6d2f1c-8a55-4e0c-9b7e-1d2f3a4b5c6d";
  const events = SESSION_EVENTS.map((event) => ("runId" in event ? { ...event, runId: taken } : event));
  const streams = new Map([...good.streams, ["session/s1", streamOf("session/s1", events)]]);
  const verdictOn = (messageId: string) => {
    const listed = {
      status: 200,
      headers: "",
      retryAfter: undefined,
      text: JSON.stringify({ hits: [{ messageId }] }),
    };
    const attempts = good.attempts.map((one) => (one.listed ? { ...one, listed } : one));
    return judge({ ...good, streams, attempts }).find(({ invariant }) => invariant.id === "20")?.verdict;
  };
  expect(verdictOn(`${taken}~0123456789abcdef-question`)).toBe("holds");
  expect(verdictOn(`${taken}-question`)).toBe("violated");
});

it("every invariant detects a planted lie", () => {
  expect(new Set(LIES.map(([id]) => id))).toEqual(new Set(INVARIANTS.map(({ id }) => id)));
});

it("difference() shows two texts around their first difference", () => {
  const [expected, found] = [`${"a".repeat(100)}b`, `${"a".repeat(100)}c`];
  expect(difference(expected, found)).toEqual({
    expected: `…${"a".repeat(20)}b`,
    found: `…${"a".repeat(20)}c`,
  });
  expect(verdictOf({ checked: 0, violations: [] })).toBe("not exercised");
});
