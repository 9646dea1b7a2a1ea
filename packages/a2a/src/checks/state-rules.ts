const OVER = ["completed", "failed", "canceled", "rejected"];
const WAITING = ["input-required", "auth-required"];

/** What may follow a state in a stream; a terminal state is followed by none. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  submitted: ["working", "failed", "canceled", "rejected"],
  working: ["working", ...WAITING, ...OVER],
  "input-required": ["working", "failed", "canceled"],
  "auth-required": ["working", "failed", "canceled"],
  ...Object.fromEntries(OVER.map((state) => [state, []])),
};

/** Whether there is such a state, and it may follow the one before; the first may be any. */
export function mayFollow(before: string | undefined, state: string): boolean {
  return Object.hasOwn(NEXT, state) && (before === undefined || NEXT[before]?.includes(state) === true);
}

/** For good. */
export function isOver(state: string): boolean {
  return OVER.includes(state);
}

/** Over, or waiting for its caller. */
export function isSettledState(state: string): boolean {
  return isOver(state) || WAITING.includes(state);
}
