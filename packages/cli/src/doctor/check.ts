import type { Examination } from "./examination.ts";
import type { Evidence } from "./exchange.ts";
import { claims } from "./probes/cards.ts";
import type { InterfaceProbe } from "./probes/interface-probe.ts";
import { mainInterfaces, usableInterfaces } from "./probes/interfaces.ts";

/** The sections of the report, in order. */
export const TOPICS = [
  "Reachability",
  "Agent card",
  "Interfaces",
  "Operations",
  "Streaming",
  "Artifacts",
  "Errors",
  "Running tasks",
  "Webhooks",
  "JSON-RPC and HTTP",
  "Robustness",
  "Performance",
] as const;
export type Topic = (typeof TOPICS)[number];

/** How much a finding weighs: a MUST of the protocol, a SHOULD, or good to know. */
export type Severity = "must" | "should" | "info";

/** A violated MUST fails; every other finding is a warning. */
export type Outcome = "pass" | "fail" | "warn" | "not-applicable";

/** What one check found, for the whole agent or for one of its interfaces. */
export interface Verdict {
  /** The interface, like `1.0 JSON-RPC`; missing for the whole agent. */
  readonly way?: string;
  readonly outcome: Outcome;
  /** The check's own severity, or a lower one for an older version of the protocol. */
  readonly severity: Severity;
  readonly detail: string;
  readonly evidence: readonly Evidence[];
}

/** A finding before it is weighed by its own severity or that of its check. */
export interface Finding {
  readonly result: "pass" | "fail" | "skip";
  readonly detail: string;
  readonly evidence: readonly Evidence[];
  readonly severity?: Severity | undefined;
}

/** One rule that the doctor checks. */
export interface Check {
  readonly id: string;
  readonly topic: Topic;
  readonly title: string;
  /** The clause of the specification, or of our own protocol notes. */
  readonly clause: string;
  readonly severity: Severity;
  readonly meaning: string;
  readonly remedy: string;
  run(examination: Examination): Promise<readonly Verdict[]>;
}

/** A check before it is listed under a topic. */
export type UnlistedCheck = Omit<Check, "topic">;
type CheckTexts = Omit<UnlistedCheck, "run">;

/** A check that runs once per interface of the agent. */
export interface InterfaceCheck extends CheckTexts {
  /** Whether the check applies to an interface; by default it applies to all. */
  readonly appliesTo?: (probe: InterfaceProbe) => boolean;
  /** Checks only one interface of each protocol version. */
  readonly oncePerVersion?: true;
  /** The capability that the card has to claim. */
  readonly capability?: "streaming" | "pushNotifications";
}

/** The rule holds. */
export function pass(detail: string, evidence: readonly Evidence[] = []): Finding {
  return { result: "pass", detail, evidence };
}

/** The rule is violated. */
export function fail(detail: string, evidence: readonly Evidence[] = [], severity?: Severity): Finding {
  return { result: "fail", detail, evidence, severity };
}

/** The rule could not be checked, or does not apply. */
export function skip(detail: string, evidence: readonly Evidence[] = []): Finding {
  return { result: "skip", detail, evidence };
}

/** Weighs a finding. */
export function verdictOf(
  { result, detail, evidence, ...own }: Finding,
  weight: Severity,
  way?: string,
): Verdict {
  const severity = own.severity ?? weight;
  const bad = severity === "must" ? "fail" : "warn";
  const outcome = { pass: "pass", skip: "not-applicable", fail: bad } as const;
  return { ...(way !== undefined && { way }), outcome: outcome[result], severity, detail, evidence };
}

/** Lists checks under a topic. */
export function checksOf(topic: Topic, checks: readonly UnlistedCheck[]): readonly Check[] {
  return checks.map(({ id, ...check }) => ({ id, topic, ...check }));
}

/** Defines a check of the agent as a whole. */
export function agentCheck(
  texts: CheckTexts,
  judge: (examination: Examination) => Promise<Finding>,
): UnlistedCheck {
  return { ...texts, run: async (examination) => [verdictOf(await judge(examination), texts.severity)] };
}

/** Defines a check of each usable interface; `judge` returns undefined where the rule does not apply. */
export function interfaceCheck(
  { appliesTo = () => true, oncePerVersion, capability, ...texts }: InterfaceCheck,
  judge: (probe: InterfaceProbe) => Promise<Finding | undefined>,
): UnlistedCheck {
  return {
    ...texts,
    async run(examination) {
      const verdicts: Verdict[] = [];
      const probes = await (oncePerVersion ? mainInterfaces : usableInterfaces)(examination);
      const isClaimed = capability === undefined || (await claims(examination))[capability] === true;
      // Sequentially, so that checks do not disturb each other's timing.
      for (const probe of probes.filter(appliesTo)) {
        const finding = isClaimed ? await judge(probe) : skip(NOT_CLAIMED[capability ?? "streaming"]);
        if (finding) verdicts.push(verdictOf(finding, texts.severity, probe.name));
      }
      if (verdicts.length > 0) return verdicts;
      return [verdictOf(skip("Does not apply to any interface of this agent"), texts.severity)];
    },
  };
}

const NOT_CLAIMED = {
  streaming: "The card does not claim streaming",
  pushNotifications: "The card does not claim webhooks",
};
