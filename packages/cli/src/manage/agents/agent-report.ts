import type { Agent } from "@parley/client";
import { oneLine } from "../../terminal/one-line.ts";
import { styled } from "../../terminal/print.ts";

const MOST_FINDINGS = 40;

/** Whether an agent cannot be used, or its card breaks the specification. */
export function isFaulty({ state, findings = [] }: Agent): boolean {
  return state !== "up" || findings.some((finding) => finding.startsWith("error"));
}

/** What was found of an agent, for a person. */
export function agentReport(agent: Agent): string {
  const {
    name,
    url,
    state,
    description = "",
    skills = [],
    negotiated,
    schemes,
    trouble,
    findings = [],
  } = agent;
  const mark = isFaulty(agent) ? styled("red", "✗") : styled("green", "✓");
  const facts: [string, string][] = [
    ["state", state],
    ["about", oneLine(description, 200)],
    ["skills", oneLine(skills.map(({ name: skill }) => skill).join(", "), 200)],
    [
      "spoken",
      negotiated ? `A2A ${negotiated.dialect} by ${negotiated.binding}, ${negotiated.delivery}` : "",
    ],
    ["auth", (schemes ?? []).map(({ name: scheme, kind }) => `${oneLine(scheme, 60)} (${kind})`).join(", ")],
    ["trouble", oneLine(trouble ?? "", 300)],
  ];
  const lines = facts
    .filter(([, text]) => text !== "")
    .map(([what, text]) => `  ${what.padEnd(8)} ${text}\n`);
  const shown = findings
    .slice(0, MOST_FINDINGS)
    .map((finding) => `  ${findingMark(finding)} ${oneLine(finding, 300)}\n`);
  const more = findings.length - shown.length;
  return [
    `${mark} ${oneLine(name, 64)}  ${oneLine(url, 200)}\n`,
    ...lines,
    ...shown,
    ...(more > 0 ? [`  and ${more} more findings: --json shows them\n`] : []),
  ].join("");
}

function findingMark(finding: string): string {
  return finding.startsWith("error") ? styled("red", "✗") : styled("yellow", "!");
}
