import { cpus, loadavg, totalmem } from "node:os";
import { countBy } from "./count-by.ts";
import type { Evidence } from "./evidence/evidence.ts";
import { runsIn } from "./evidence/recorded-runs.ts";
import { isSurvived, lastWorkIn } from "./evidence/survival.ts";
import { INVARIANTS } from "./invariants/all.ts";
import { type Finding, type Invariant, type Verdict, verdictOf } from "./invariants/invariant.ts";
import { nameOf } from "./schedule/fault.ts";

const SHOWN = 5;
const MARKS: Readonly<Record<Verdict, string>> = { holds: "✓", violated: "✗", "not exercised": "–" };

/** An invariant with its verdict. */
export interface Judgement {
  readonly invariant: Pick<Invariant, "id" | "promise">;
  readonly verdict: Verdict;
  readonly finding: Finding;
}

/** Checks a run against every invariant. */
export function judge(evidence: Evidence): Judgement[] {
  return INVARIANTS.map((invariant) => {
    const finding = invariant.check(evidence);
    return { invariant, finding, verdict: verdictOf(finding) };
  });
}

/** The report for a reader. */
export function reportOf(seed: number, evidence: Evidence, judgements: readonly Judgement[]): string {
  const sums = (verdict: Verdict) => judgements.filter((each) => each.verdict === verdict).length;
  const checks = judgements.reduce((sum, { finding }) => sum + finding.checked, 0);
  return [
    ...[`seed ${seed}`, "", ...circumstances(evidence), "", ...faults(evidence), "", ...work(evidence), ""],
    "Invariants:",
    ...judgements.flatMap(lines),
    "",
    `${sums("holds")} of ${judgements.length} promises hold, ${sums("violated")} violated, ` +
      `${sums("not exercised")} not exercised; ${checks} checks`,
    "",
  ].join("\n");
}

function circumstances({ began, calmAt, processes }: Evidence): string[] {
  const minutes = ((calmAt - began) / 60_000).toFixed(1);
  const machine = `${cpus().length} CPUs, ${Math.round(totalmem() / 2 ** 30)} GB, load ${loadavg()[0]?.toFixed(1)}`;
  return [
    `Ran ${new Date(began).toISOString()} for ${minutes} minutes: Node ${process.version}, ${machine}`,
    ...processes.map(
      ({ name, lives, peakMb, unaskedEnds }) =>
        `  ${name}: ${lives} lives, ${unaskedEnds.length} ends by itself, at most ${peakMb} MB`,
    ),
  ];
}

function faults(evidence: Evidence): string[] {
  const last = lastWorkIn(evidence);
  const all = evidence.faults.map((each) => ({ ...each, isSurvived: isSurvived(last, each) }));
  const row = (name: string, some: typeof all) => {
    const figures = [some.length, some.filter(({ felt }) => felt > 0).length];
    const times = some.reduce((sum, { felt }) => sum + felt, 0);
    const survived = some.filter((each) => each.isSurvived).length;
    return `  ${[...figures, times, survived].map((each) => String(each).padStart(8)).join("")}  ${name}`;
  };
  const kinds = [...Map.groupBy(all, ({ fault }) => nameOf(fault))].sort(([a], [b]) => (a < b ? -1 : 1));
  const unfelt = kinds.flatMap(([name, some]) => (some.some(({ felt }) => felt > 0) ? [] : [name]));
  return [
    `Faults: ${all.length} (felt: processes stopped, connections spoiled, writes refused, commands doubled,`,
    "  answers with a wrong time, writers made to wait; survived: what was hit was at work again afterwards)",
    "  injected    felt   times survived",
    ...kinds.map(([name, some]) => row(name, some)),
    row("all", all),
    ...(unfelt.length > 0 ? [`  Never felt: ${unfelt.join(", ")}`] : []),
  ];
}

function work(evidence: Evidence): string[] {
  const runs = runsIn(evidence);
  const ends = countBy(runs, ({ ends: [end] }) => {
    if (end?.event.type === "agent_complete") return `runs ${end.event.state}`;
    return end ? "runs cancelled" : "runs open";
  });
  const events = [...evidence.streams.values()].reduce((sum, stream) => sum + stream.events.length, 0);
  const taken = evidence.leases.filter(({ isTaken, leftMs }) => isTaken && leftMs !== null);
  const takenOf = (kind: string) => taken.filter(({ stream }) => stream.startsWith(kind)).length;
  const frames = [...evidence.followers.flatMap(({ streams }) => streams), ...evidence.calls];
  const seen = frames.flatMap((stream) => stream.frames);
  const bytes = seen.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
  const spells = (count: (offlineClient: Evidence["offlineClients"][number]) => number) =>
    evidence.offlineClients.reduce((sum, offlineClient) => sum + count(offlineClient), 0);
  const sent = evidence.commands.reduce((sum, command) => sum + command.sent, 0);
  return [
    `Work: ${runs.length} runs, ${events} events in ${evidence.streams.size} streams, ` +
      `${takenOf("run/")} takeovers of runs, ${takenOf("task/")} of tasks`,
    ...counted(ends),
    ...reasons(runs),
    `  ${evidence.commands.length} commands, sent ${sent} times; ${evidence.calls.length} calls by A2A; ` +
      `${evidence.webhooks.length} webhooks received`,
    `  ${seen.length} frames that clients got, ${bytes} bytes, compared with the log`,
    `  ${spells(({ wrote }) => wrote.length)} messages written by clients that were offline ` +
      `${spells(({ offline }) => offline)} times, killed ${spells(({ killed }) => killed)} and closed ` +
      `${spells(({ closed }) => closed)} times`,
    `  ${evidence.attempts.length} attempts of intruders, ${evidence.attacks.length} attacks on nodes`,
  ];
}

function reasons(runs: ReturnType<typeof runsIn>): string[] {
  const failed = runs.flatMap(({ ends: [end] }) =>
    end?.event.type === "agent_complete" && end.event.state === "failed"
      ? [`failed: ${end.event.reason ?? "no reason"}`]
      : [],
  );
  return counted(countBy(failed, (reason) => reason));
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
