import { JournalError } from "@parley/journal";
import { StartError } from "./start-error.ts";
import { stopRequested } from "./stop-signals.ts";

const STOP_WITHIN_MS = 1_900;

/** Something that runs until it is stopped. */
export interface Program {
  /** After so long it is ended whatever it still does. */
  readonly stopWithinMs?: number;
  stop(): Promise<void>;
}

/** Starts a program, and ends it and this process when a signal asks for it, of which it hears while it starts; what cannot start says why in a sentence. */
export async function runProgram(start: (stopping: AbortSignal) => Promise<Program>): Promise<never> {
  // What people say to their agents is nobody else's business on this machine.
  process.umask(0o077);
  // Whoever read our output may leave (`npm start | head`); that is no reason to end.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  try {
    const stopping = stopRequested();
    const told = new AbortController();
    void stopping.then(() => told.abort());
    const program = await start(told.signal);
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
