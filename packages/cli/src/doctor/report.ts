import type { styleText } from "node:util";
import { plainText } from "../terminal/plain-text.ts";
import { styled } from "../terminal/print.ts";
import { type Check, type Outcome, TOPICS, type Verdict } from "./check.ts";
import { CHECKS } from "./checks/all-checks.ts";
import { shortened } from "./exchange.ts";
import type { CheckResult } from "./run-checks.ts";

const SIGNS: Readonly<Record<Outcome, readonly [Parameters<typeof styleText>[0], string]>> = {
  pass: ["green", "✓"],
  fail: ["red", "✗"],
  warn: ["yellow", "!"],
  "not-applicable": ["gray", "–"],
};
const MAX_EVIDENCE = 1_200;

/** What an examination looked at, and what it took. */
export interface ExaminationFigures {
  readonly url: string;
  readonly requests: number;
  readonly milliseconds: number;
}

/** The report for people: by topic, with what to do about each finding, and a summary. */
export function readableReport(
  results: readonly CheckResult[],
  figures: ExaminationFigures,
  isVerbose: boolean,
): string {
  const topics = TOPICS.flatMap((topic) => {
    const lines = results
      .filter(({ check }) => check.topic === topic)
      .flatMap((it) => checkLines(it, isVerbose));
    return lines.length === 0 ? [] : [[styled("bold", topic), ...lines].join("\n")];
  });
  return [...topics, summary(results, figures)].join("\n\n");
}

/** The report for programs, with all the evidence. */
export function jsonReport(results: readonly CheckResult[], figures: ExaminationFigures) {
  const checks = results.map(({ check, outcome, verdicts }) => ({ ...checkTexts(check), outcome, verdicts }));
  return { ...figures, milliseconds: Math.round(figures.milliseconds), checks };
}

/** What a check is about, without how it runs. */
export function checkTexts({ run: _, ...texts }: Check) {
  return texts;
}

/** The ids and titles of all checks, by topic. */
export function checkList(): string {
  return TOPICS.map((topic) => {
    const checks = CHECKS.filter((check) => check.topic === topic);
    return `${topic}\n${checks.map(({ id, title }) => `  ${id.padEnd(24)} ${title}\n`).join("")}`;
  }).join("\n");
}

function checkLines({ check, outcome, verdicts }: CheckResult, isVerbose: boolean): string[] {
  const isBad = outcome === "fail" || outcome === "warn";
  const shown = isBad ? verdicts.filter((it) => it.outcome === "fail" || it.outcome === "warn") : verdicts;
  const groups = Map.groupBy(shown, (it) => `${it.outcome} ${it.detail}`);
  const details = [...groups.values()].flatMap((same) => {
    const names = same.flatMap(({ way }) => way ?? []).join(", ");
    const prefix = names === "" ? "" : styled("dim", `${names}: `);
    return same
      .slice(0, 1)
      .flatMap((verdict) => [
        `    ${prefix}${plainText(shortened(verdict.detail, 400))}`,
        ...(isVerbose ? evidenceLines(verdict) : []),
      ]);
  });
  // Passed checks need no details, unless they are facts that people want to know.
  const hasDetails = isVerbose || outcome !== "pass" || check.severity === "info";
  const weight = shown.find((it) => it.outcome === outcome)?.severity ?? check.severity;
  const advice = `    ${styled("cyan", "→")} ${check.remedy} ${styled("dim", `(${weight}; ${check.clause})`)}`;
  const head = `${styled(...SIGNS[outcome])} ${check.title} ${styled("dim", `[${check.id}]`)}`;
  return [head, ...(hasDetails ? details : []), ...(isBad ? [advice] : [])];
}

function evidenceLines({ evidence }: Verdict): string[] {
  const texts = evidence.flatMap(({ request, answer }) => [
    `> ${shortened(request, MAX_EVIDENCE)}`,
    `< ${shortened(answer, MAX_EVIDENCE)}`,
  ]);
  return texts.flatMap((text) =>
    plainText(text)
      .split("\n")
      .map((line) => styled("dim", `      ${line}`)),
  );
}

function summary(results: readonly CheckResult[], { requests, milliseconds }: ExaminationFigures): string {
  const count = (outcome: Outcome) => results.filter((it) => it.outcome === outcome).length;
  const [failed, warned, passed] = [count("fail"), count("warn"), count("pass")];
  const text =
    failed > 0 ? "The agent violates the protocol" : warned > 0 ? "No MUST is violated" : "No problems found";
  const counts = `${passed} passed, ${failed} failed, ${warned} warnings, ${count("not-applicable")} not applicable`;
  return `${text}: ${counts} (${requests} requests, ${(milliseconds / 1_000).toFixed(1)} s)`;
}
