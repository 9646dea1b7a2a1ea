import type { Evidence } from "./evidence.ts";
import type { Examination } from "./examination.ts";

/** The parts of the report, in its order. */
export const TOPICS = [
  "Reach",
  "Card",
  "Dialects and bindings",
  "Operations",
  "Stream",
  "Artifacts",
  "Errors",
  "While it works",
  "Webhooks",
  "JSON-RPC and HTTP",
  "Robustness",
  "Pace",
] as const;
export type Topic = (typeof TOPICS)[number];

/** How much a finding weighs: a MUST of the protocol, a SHOULD, or something good to know. */
export type Severity = "must" | "should" | "info";

/** A MUST that is violated fails; whatever else is not as it should be is a warning. */
export type Outcome = "pass" | "fail" | "warn" | "not-applicable";

/** What one check found, of the agent as a whole or of one way to speak to it. */
export interface Verdict {
  /** Like `1.0 JSON-RPC`; missing where it is about the agent. */
  readonly way?: string;
  readonly outcome: Outcome;
  /** Of the check, or the lesser one that it has in an older version. */
  readonly severity: Severity;
  readonly detail: string;
  readonly evidence: readonly Evidence[];
}

/** A finding before it is weighed by the severity of its check, or by one of its own. */
export interface Finding {
  readonly is: "right" | "wrong" | "beside";
  readonly detail: string;
  readonly evidence?: readonly Evidence[];
  readonly severity?: Severity;
}

/** One thing that is looked at. */
export interface Check {
  readonly id: string;
  readonly topic: Topic;
  readonly title: string;
  /** Where the specification, or our own record of the wire, says so. */
  readonly clause: string;
  readonly severity: Severity;
  readonly meaning: string;
  readonly remedy: string;
  run(examination: Examination): Promise<readonly Verdict[]>;
}

/** As it should be. */
export function right(detail: string, evidence: readonly Evidence[] = []): Finding {
  return { is: "right", detail, evidence };
}

/** Not as it should be. */
export function wrong(detail: string, evidence: readonly Evidence[] = [], severity?: Severity): Finding {
  return { is: "wrong", detail, evidence, ...(severity && { severity }) };
}

/** It could not be looked at, or there is nothing to look at. */
export function beside(detail: string, evidence: readonly Evidence[] = []): Finding {
  return { is: "beside", detail, evidence };
}

/** The finding as it counts. */
export function weighed(finding: Finding, severity: Severity, way?: string): Verdict {
  const outcomes = { right: "pass", beside: "not-applicable", wrong: "warn" } as const;
  const weight = finding.severity ?? severity;
  const isViolation = finding.is === "wrong" && weight === "must";
  return {
    ...(way !== undefined && { way }),
    outcome: isViolation ? "fail" : outcomes[finding.is],
    severity: weight,
    detail: finding.detail,
    evidence: finding.evidence ?? [],
  };
}
