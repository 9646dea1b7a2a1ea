import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

/** All that comes on standard input, unless that is a terminal; with a patience, nothing where nothing has come by then. */
export async function standardInput(patienceMs?: number): Promise<string> {
  const { stdin } = process;
  if (stdin.isTTY) return "";
  if (patienceMs !== undefined && !(await hasBegun(patienceMs))) {
    stdin.destroy();
    process.stderr.write(
      `Nothing came on standard input within ${patienceMs / 1_000} s, so it is left out (with < /dev/null it is not waited for)\n`,
    );
    return "";
  }
  return text(stdin);
}

/** Whether something, or the end, has come. */
async function hasBegun(patienceMs: number): Promise<boolean> {
  const over = new AbortController();
  try {
    const begun = once(process.stdin, "readable", { signal: over.signal }).then(() => true);
    return await Promise.race([begun, sleep(patienceMs, false, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}
