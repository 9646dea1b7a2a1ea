import { JournalError } from "@parley/journal";
import { StartError } from "./start-error.ts";

const STOP_WITHIN_MS = 1_900;

/** Something that runs until it is stopped. */
export interface Program {
  /** After so long it is ended whatever it still does. */
  readonly stopWithinMs?: number;
  stop(): Promise<void>;
}

/** Runs a program until a signal asks it to stop, also while it starts; a program that cannot start says why in a sentence. */
export async function runProgram(start: (stopping: AbortSignal) => Promise<Program>): Promise<never> {
  // What people say to their agents is nobody else's business on this machine.
  process.umask(0o077);
  // Whoever read our output may leave (`npm start | head`); that is no reason to end.
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
    // What an operator can mend is one sentence; anything else is our fault and comes with its stack.
    const expected = error instanceof StartError || error instanceof JournalError;
    process.stderr.write(`${expected ? error.message : (error as Error).stack}\n`);
    process.exit(1);
  }
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
