import type { Evidence } from "../evidence/evidence.ts";

/** Where a promise was broken, so that somebody can look: words, and the place in the logs. */
export interface Violation {
  readonly what: string;
  readonly session?: string;
  readonly stream?: string;
  readonly index?: number;
  readonly expected?: string;
  readonly found?: string;
}

/** What a checker looked at, and what it did not like. */
export interface Finding {
  /** How many things it compared; with none, the run says nothing about this promise. */
  readonly checked: number;
  readonly violations: readonly Violation[];
}

/** A promise of the design, and how to see whether a run has kept it. Pure. */
export interface Invariant {
  /** As in the design's list; those without a number there have a letter. */
  readonly id: string;
  readonly promise: string;
  check(evidence: Evidence): Finding;
}

export type Verdict = "holds" | "violated" | "not exercised";

/** What a finding comes to. */
export function verdictOf({ checked, violations }: Finding): Verdict {
  if (violations.length > 0) return "violated";
  return checked > 0 ? "holds" : "not exercised";
}

/** A finding on things that are looked at one by one. */
export function findingOn<Item>(
  items: Iterable<Item>,
  look: (item: Item) => Violation | readonly Violation[] | undefined,
): Finding {
  let checked = 0;
  const violations: Violation[] = [];
  for (const item of items) {
    checked++;
    violations.push(...[look(item) ?? []].flat());
  }
  return { checked, violations };
}

/** Two findings as one. */
export function together(...findings: readonly Finding[]): Finding {
  return {
    checked: findings.reduce((sum, { checked }) => sum + checked, 0),
    violations: findings.flatMap(({ violations }) => violations),
  };
}

const SHOWN = 160;

/** Two texts that should be one, around the place where they part. */
export function difference(expected: string, found: string): Pick<Violation, "expected" | "found"> {
  let at = 0;
  while (at < expected.length && expected[at] === found[at]) at++;
  const from = Math.max(0, at - 20);
  const shown = (text: string) => `${from > 0 ? "…" : ""}${text.slice(from, from + SHOWN)}`;
  return { expected: shown(expected), found: shown(found) };
}
