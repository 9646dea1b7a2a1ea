import { AgentTimeoutError } from "./client-errors.ts";

/** What every call takes. */
export interface CallOptions {
  /** Closes the connection; the task at the agent goes on, and ends only by `cancel`. */
  readonly signal?: AbortSignal;
  /** When to give up; AgentTimeoutError then. */
  readonly deadline?: Date;
}

/** The signal of one call, which the caller's signal and its deadline set off; `end` forgets the deadline. */
export function callLife({ signal, deadline }: CallOptions): {
  readonly signal: AbortSignal | undefined;
  end(): void;
} {
  if (!deadline) return { signal, end: () => undefined };
  const passed = new AbortController();
  const milliseconds = Math.max(0, deadline.getTime() - Date.now());
  const giveUp = () => passed.abort(new AgentTimeoutError("The deadline of the call has passed"));
  // A timer cannot count further than this; nobody waits 24 days for an answer.
  const timer = setTimeout(giveUp, Math.min(milliseconds, 2_147_483_647)).unref();
  const both = signal ? AbortSignal.any([signal, passed.signal]) : passed.signal;
  return { signal: both, end: () => clearTimeout(timer) };
}

/** Runs a call with its signal, and forgets the deadline after it. */
export async function withinLife<T>(
  options: CallOptions,
  run: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  const life = callLife(options);
  try {
    return await run(life.signal);
  } finally {
    life.end();
  }
}
