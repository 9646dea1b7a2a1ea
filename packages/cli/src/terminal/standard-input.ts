import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

/** Reads standard input, unless that is a terminal; returns nothing if no input starts within `maxWaitMs`. */
export async function standardInput(maxWaitMs?: number): Promise<string> {
  const { stdin } = process;
  if (stdin.isTTY) return "";
  if (maxWaitMs !== undefined && !(await hasStarted(maxWaitMs))) {
    stdin.destroy();
    process.stderr.write(
      `Ignored standard input: nothing arrived within ${maxWaitMs / 1_000} s (use < /dev/null to skip the wait)\n`,
    );
    return "";
  }
  return text(stdin);
}

/** Whether input, or its end, has arrived. */
async function hasStarted(maxWaitMs: number): Promise<boolean> {
  const over = new AbortController();
  try {
    const started = once(process.stdin, "readable", { signal: over.signal }).then(() => true);
    return await Promise.race([started, sleep(maxWaitMs, false, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}
