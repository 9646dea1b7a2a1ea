import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import type { StreamResponse } from "../../protocol/model.ts";
import type { StoredEvent } from "../dialect.ts";

/** Fails unless the check passes for everything that the arbitrary makes. */
export function always<T>(arbitrary: fc.Arbitrary<T>, check: (value: T) => void): void {
  fc.assert(
    fc.property(arbitrary, (value) => {
      check(value);
    }),
  );
}

/** What arrives at the other end of a wire. */
export function travelled(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Fails unless both are the same JSON; unlike `toStrictEqual` it bears a member called `constructor`. */
export function same(actual: unknown, expected: unknown): void {
  deepStrictEqual(actual, expected);
}

/** An event as the journal hands it out. */
export function stored(payload: StreamResponse): StoredEvent {
  return { payload, json: JSON.stringify(payload) };
}
