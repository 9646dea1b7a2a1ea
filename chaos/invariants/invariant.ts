import type { Evidence } from "../evidence/evidence.ts";

/** A violation of an invariant: a description, and its place in the logs. */
export interface Violation {
  readonly what: string;
  readonly session?: string;
  readonly stream?: string;
  readonly index?: number;
  readonly expected?: string;
  readonly found?: string;
}

/** What a checker compared, and the violations it found. */
export interface Finding {
  /** The number of comparisons; with none, the invariant was not exercised. */
  readonly checked: number;
  readonly violations: readonly Violation[];
}

/** An invariant of the design and its check, a pure function of the evidence. */
export interface Invariant {
  /** The number in the design's list; the harness's own have a letter. */
  readonly id: string;
  readonly promise: string;
  check(evidence: Evidence): Finding;
}

export type Verdict = "holds" | "violated" | "not exercised";

/** The verdict on a finding. */
export function verdictOf({ checked, violations }: Finding): Verdict {
  if (violations.length > 0) return "violated";
  return checked > 0 ? "holds" : "not exercised";
}

/** A finding from checking items one by one. */
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

/** Merges findings. */
export function together(...findings: readonly Finding[]): Finding {
  return {
    checked: findings.reduce((sum, { checked }) => sum + checked, 0),
    violations: findings.flatMap(({ violations }) => violations),
  };
}

const SHOWN = 160;

/** Two texts that should be equal, around their first difference. */
export function difference(expected: string, found: string): Pick<Violation, "expected" | "found"> {
  let at = 0;
  while (at < expected.length && expected[at] === found[at]) at++;
  const from = Math.max(0, at - 20);
  const shown = (text: string) => `${from > 0 ? "…" : ""}${text.slice(from, from + SHOWN)}`;
  return { expected: shown(expected), found: shown(found) };
}
