import { styleText } from "node:util";
import { plainText } from "../terminal/plain-text.ts";
import { type Outcome, TOPICS, type Verdict } from "./check.ts";
import { shortened } from "./evidence.ts";
import type { Examined } from "./examine.ts";

const SIGNS: Readonly<Record<Outcome, string>> = { pass: "✓", fail: "✗", warn: "!", "not-applicable": "–" };
const COLOURS = { pass: "green", fail: "red", warn: "yellow", "not-applicable": "gray" } as const;
const MOST_EVIDENCE = 1_200;

/** How a report is written. */
export interface ReportOptions {
  readonly verbose: boolean;
  /** Where it goes: colours only on a terminal. */
  readonly stream: NodeJS.WriteStream;
}

/** The report that a person reads, grouped by topic, with what to do about each finding. */
export function report(examined: readonly Examined[], { verbose, stream }: ReportOptions): string {
  const paint = (format: Parameters<typeof styleText>[0], text: string) =>
    styleText(format, text, { stream });
  const lines: string[] = [];
  for (const topic of TOPICS) {
    const ofTopic = examined.filter(({ check }) => check.topic === topic);
    if (ofTopic.length === 0) continue;
    lines.push("", paint("bold", topic));
    for (const it of ofTopic) lines.push(...checkLines(it));
  }
  return lines.join("\n").trimStart();

  function checkLines({ check, outcome, verdicts }: Examined): string[] {
    const isBad = outcome === "fail" || outcome === "warn";
    const shown = isBad ? verdicts.filter((it) => it.outcome === "fail" || it.outcome === "warn") : verdicts;
    const details = grouped(shown).flatMap(({ ways, verdict }) => [
      `    ${ways === "" ? "" : paint("dim", `${ways}: `)}${plainText(shortened(verdict.detail, 400))}`,
      ...(verbose ? evidenceLines(verdict) : []),
    ]);
    // What passed needs no words, unless it is a fact that people want to know.
    const isTold = verbose || outcome !== "pass" || check.severity === "info";
    const weight = shown.find((it) => it.outcome === outcome)?.severity ?? check.severity;
    const advice = `    ${paint("cyan", "→")} ${check.remedy} ${paint("dim", `(${weight}; ${check.clause})`)}`;
    const head = `${paint(COLOURS[outcome], SIGNS[outcome])} ${check.title} ${paint("dim", `[${check.id}]`)}`;
    return [head, ...(isTold ? details : []), ...(isBad ? [advice] : [])];
  }

  function evidenceLines({ evidence }: Verdict): string[] {
    return evidence.flatMap(({ request, answer }) =>
      [`> ${shortened(request, MOST_EVIDENCE)}`, `< ${shortened(answer, MOST_EVIDENCE)}`].flatMap((text) =>
        plainText(text)
          .split("\n")
          .map((line) => paint("dim", `      ${line}`)),
      ),
    );
  }
}

/** The last line: how many of what, and what it came to. */
export function summary(
  examined: readonly Examined[],
  about: { readonly requests: number; readonly milliseconds: number },
): string {
  const count = (outcome: Outcome) => examined.filter((it) => it.outcome === outcome).length;
  const [failed, warned, passed] = [count("fail"), count("warn"), count("pass")];
  const words =
    failed > 0 ? "The protocol is violated" : warned > 0 ? "No MUST is violated" : "Nothing is wrong";
  const counts = `${passed} passed, ${failed} failed, ${warned} warnings, ${count("not-applicable")} not applicable`;
  return `${words}: ${counts} (${about.requests} requests, ${(about.milliseconds / 1_000).toFixed(1)} s)`;
}

/** The same for programs, with the whole evidence. */
export function jsonReport(
  examined: readonly Examined[],
  about: { readonly url: string; readonly requests: number; readonly milliseconds: number },
): string {
  const checks = examined.map(({ check: { run: _, ...about }, outcome, verdicts }) => ({
    ...about,
    outcome,
    verdicts,
  }));
  return JSON.stringify({ ...about, milliseconds: Math.round(about.milliseconds), checks }, undefined, 2);
}

function grouped(verdicts: readonly Verdict[]): { readonly ways: string; readonly verdict: Verdict }[] {
  const groups = Map.groupBy(verdicts, ({ outcome, detail }) => `${outcome} ${detail}`);
  return [...groups.values()].flatMap((same) => {
    const [verdict] = same;
    return verdict ? [{ ways: same.flatMap(({ way }) => way ?? []).join(", "), verdict }] : [];
  });
}
