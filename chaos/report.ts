import { countBy } from "./count-by.ts";
import type { Evidence } from "./evidence/evidence.ts";
import { runsIn } from "./evidence/recorded-runs.ts";
import { INVARIANTS } from "./invariants/all.ts";
import { type Finding, type Invariant, type Verdict, verdictOf } from "./invariants/invariant.ts";
import { nameOf } from "./schedule/fault.ts";

const SHOWN = 5;
const MARKS: Readonly<Record<Verdict, string>> = { holds: "✓", violated: "✗", "not exercised": "–" };

/** A promise with what a run says about it. */
export interface Judgement {
  readonly invariant: Pick<Invariant, "id" | "promise">;
  readonly verdict: Verdict;
  readonly finding: Finding;
}

/** Holds a run to every promise. */
export function judge(evidence: Evidence): Judgement[] {
  return INVARIANTS.map((invariant) => {
    const finding = invariant.check(evidence);
    return { invariant, finding, verdict: verdictOf(finding) };
  });
}

/** What was done, and what is to be said about it, for a person. */
export function reportOf(seed: number, evidence: Evidence, judgements: readonly Judgement[]): string {
  const runs = runsIn(evidence);
  const ends = countBy(runs, ({ ends: [end] }) => {
    if (end?.event.type === "agent_complete") return end.event.state;
    return end ? "cancelled" : "open";
  });
  const events = [...evidence.streams.values()].reduce((sum, stream) => sum + stream.events.length, 0);
  const takeovers =
    evidence.metrics.get("runs_takeovers_total") ?? evidence.metrics.get("runs_takeovers") ?? 0;
  return [
    `seed ${seed}`,
    "",
    `Faults: ${evidence.faults.length}`,
    ...counted(countBy(evidence.faults, ({ fault }) => nameOf(fault))),
    `Work: ${runs.length} runs, ${evidence.calls.length} calls by A2A, ${evidence.webhooks.length} webhooks, ` +
      `${events} events in ${evidence.streams.size} streams, ${takeovers} takeovers`,
    ...counted(ends),
    ...reasons(runs),
    "Invariants:",
    ...judgements.flatMap(lines),
    "",
  ].join("\n");
}

function reasons(runs: ReturnType<typeof runsIn>): string[] {
  const failed = runs.flatMap(({ ends: [end] }) =>
    end?.event.type === "agent_complete" && end.event.state === "failed"
      ? [end.event.reason ?? "no reason"]
      : [],
  );
  return failed.length === 0
    ? []
    : ["Reasons of failed runs:", ...counted(countBy(failed, (reason) => reason))];
}

function counted(counts: ReadonlyMap<string, number>): string[] {
  return [...counts].map(([name, count]) => `  ${String(count).padStart(4)} × ${name}`);
}

function lines({ invariant: { id, promise }, verdict, finding }: Judgement): string[] {
  const { checked, violations } = finding;
  const shown = violations.slice(0, SHOWN).map((violation) => `        ${JSON.stringify(violation)}`);
  const more = violations.length - shown.length;
  const said = verdict === "not exercised" ? verdict : `${verdict} (${checked} checked)`;
  return [
    `  ${MARKS[verdict]} ${id.padStart(2)} ${promise}: ${said}`,
    ...shown,
    ...(more > 0 ? [`        and ${more} more`] : []),
  ];
}
