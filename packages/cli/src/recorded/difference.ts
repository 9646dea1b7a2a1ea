import { comparable } from "./comparable.ts";

/** What of a recording is compared, and can be left out with `--ignore`. */
export const ASPECTS = ["plan", "calls", "approvals", "text"] as const;

export type Aspect = (typeof ASPECTS)[number];

/** Something that is not as it was recorded; only `expected`: it is missing, only `actual`: it is new. */
export interface Difference {
  /** Which message it followed, from 1. */
  readonly message: number;
  readonly aspect: Aspect | "end";
  readonly what: string;
  readonly expected?: string;
  readonly actual?: string;
}

/** A difference, before it is known which message it followed. */
export type Found = Omit<Difference, "message">;

/** One difference, unless both are the same but for what varies by nature. */
export function different(
  aspect: Found["aspect"],
  what: string,
  expected: string | undefined,
  actual: string | undefined,
): Found[] {
  if (expected === actual) return [];
  if (expected !== undefined && actual !== undefined && comparable(expected) === comparable(actual))
    return [];
  return [
    { aspect, what, ...(expected !== undefined && { expected }), ...(actual !== undefined && { actual }) },
  ];
}
