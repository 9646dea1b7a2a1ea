import { writeFile } from "node:fs/promises";
import { CommandError, EXIT } from "../command-error.ts";
import { fromHere } from "../from-here.ts";
import { connected, type ServerOptions } from "../server-address.ts";
import { NotRecordableError, recordSession } from "./record-session.ts";
import { type Recording, readRecording, UnreadableRecordingError, writtenRecording } from "./recording.ts";

const REDACTED = "[redacted]";

/** Reads the patterns of `--redact`; a `CommandError` for what is none. */
export function patterns(given: readonly string[]): readonly RegExp[] {
  return given.map((pattern) => {
    try {
      return new RegExp(pattern, "gu");
    } catch (error) {
      throw new CommandError(`--redact ${pattern} cannot be used: ${(error as Error).message}`, EXIT.usage);
    }
  });
}

/** The recording without whatever matches, wherever it stands; a `CommandError` where it needs what would be hidden. */
export function redacted(recording: Recording, hidden: readonly RegExp[]): Recording {
  if (hidden.length === 0) return recording;
  const hide = (text: string) => hidden.reduce((left, pattern) => left.replaceAll(pattern, REDACTED), text);
  const left = { ...(hiddenIn(recording, hide) as Recording), format: recording.format };
  try {
    return readRecording(JSON.stringify(left));
  } catch (error) {
    if (!(error instanceof UnreadableRecordingError)) throw error;
    const what = `--redact hides what a recording needs (${error.message})`;
    throw new CommandError(`${what}: choose narrower patterns`, EXIT.usage);
  }
}

function hiddenIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === "string") return hide(value);
  if (typeof value === "number") return hide(String(value)) === String(value) ? value : REDACTED;
  if (Array.isArray(value)) return value.map((one) => hiddenIn(one, hide));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [hide(key), hiddenIn(one, hide)]));
}

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
