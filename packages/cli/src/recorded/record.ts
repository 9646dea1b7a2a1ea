import { writeFile } from "node:fs/promises";
import { CommandError } from "../command-error.ts";
import { fromHere } from "../from-here.ts";
import { connected, type ServerOptions } from "../server-address.ts";
import { NotRecordableError, recordSession } from "./record-session.ts";
import { type Recording, writtenRecording } from "./recording.ts";
import { patterns, redacted } from "./redact.ts";

export interface RecordOptions extends ServerOptions {
  readonly output?: string;
  readonly redact: readonly string[];
}

/** Writes a session as a test: into the file, or to standard output. */
export async function record(
  sessionId: string,
  { output, redact, ...options }: RecordOptions,
): Promise<void> {
  const hidden = patterns(redact);
  const client = await connected(options);
  const recording = redacted(await recorded(() => recordSession(client, sessionId), sessionId), hidden);
  const text = writtenRecording(recording);
  if (output === undefined) {
    process.stdout.write(text);
    return;
  }
  await writeFile(fromHere(output), text).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${output} cannot be written (${error.code}): choose another file with --output`);
  });
  process.stderr.write(`Recorded ${summary(recording)}. Try it: parley verify ${output}\n`);
}

/** What a recording holds, in a few words. */
export function summary({ turns }: Recording): string {
  const calls = turns.flatMap((turn) => turn.calls ?? []);
  const agents = new Set(calls.map(({ agent }) => agent));
  const asked =
    agents.size > 0 ? `, ${counted(calls.length, "call")} of ${counted(agents.size, "agent")}` : "";
  return counted(turns.length, "message") + asked;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

async function recorded(work: () => Promise<Recording>, sessionId: string): Promise<Recording> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotRecordableError)
      throw new CommandError(`The session ${sessionId} cannot become a test: ${error.message}`);
    throw error;
  }
}
