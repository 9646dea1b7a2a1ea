import { JournalError } from "@parley/journal";
import { StartError } from "./start-error.ts";

const STOP_WITHIN_MS = 1_900;

export interface Program {
  /** The process exits after this time, whatever is still running. */
  readonly stopWithinMs?: number;
  stop(): Promise<void>;
}

/** Runs a program until a signal stops it, also while it starts; a `StartError` is printed as one sentence. */
export async function runProgram(start: (stopping: AbortSignal) => Promise<Program>): Promise<never> {
  // Other users of this machine must not read what people tell their agents.
  process.umask(0o077);
  // The reader of our output may end (`npm start | head`).
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  try {
    const stopping = stopRequested();
    const stop = new AbortController();
    void stopping.then(() => stop.abort());
    const program = await start(stop.signal);
    await stopping;
    setTimeout(() => process.exit(1), program.stopWithinMs ?? STOP_WITHIN_MS).unref();
    await program.stop();
    process.exit(0);
  } catch (error) {
    // Operators can fix these; anything else is a bug and needs its stack.
    const expected = error instanceof StartError || error instanceof JournalError;
    process.stderr.write(`${expected ? error.message : (error as Error).stack}\n`);
    process.exit(1);
  }
}

/** Runs the work at most once; every call gets the same result. */
export function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}

const CHECK_PARENT_EVERY_MS = 500;

/**
 * Resolves when this process should end: Ctrl-C, SIGTERM, SIGHUP, or the death of the process that started it
 * (a launcher killed with -9 would otherwise leave us behind with its port). Later signals are ignored:
 * one Ctrl-C reaches us several times, from the terminal and through each process above.
 */
function stopRequested(): Promise<void> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
    setInterval(() => {
      if (process.ppid !== parent) resolve();
    }, CHECK_PARENT_EVERY_MS).unref();
  });
}
