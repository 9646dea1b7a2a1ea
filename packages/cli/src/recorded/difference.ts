import { defined } from "../defined.ts";

/** The aspects of a recording that are compared, unless `--ignore` excludes them. */
export const ASPECTS = ["plan", "calls", "approvals", "text"] as const;

export type Aspect = (typeof ASPECTS)[number];

/** A difference from the recording; without `actual` it is missing, without `expected` it is new. */
export interface Difference {
  /** The number of the message, from 1. */
  readonly message: number;
  readonly aspect: Aspect | "end";
  readonly what: string;
  readonly expected?: string;
  readonly actual?: string;
}

/** A difference within one turn. */
export type TurnDifference = Omit<Difference, "message">;

/** Compares two values, ignoring ids, times and durations; returns at most one difference. */
export function compareTexts(
  aspect: TurnDifference["aspect"],
  what: string,
  expected: string | undefined,
  actual: string | undefined,
): TurnDifference[] {
  if (expected === actual) return [];
  if (expected !== undefined && actual !== undefined && comparable(expected) === comparable(actual))
    return [];
  return [{ aspect, what, ...defined({ expected, actual }) }];
}

/** What differs in every run, and its replacement when texts are compared. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b(?:ses|run|msg|evt|key)_[\w-]{8,}/g, "<id>"],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g, "<time>"],
  [/\b\d+(?:\.\d+)? ?(?:ms|s|seconds?|milliseconds?)(?![\w/])/g, "<duration>"],
  [/\b(https?:\/\/(?:localhost|127\.0\.0\.1)):\d+/g, "$1:<port>"],
];

/** A text for comparison, without ids, times, durations and local ports. */
export function comparable(text: string): string {
  return VARYING.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text);
}
