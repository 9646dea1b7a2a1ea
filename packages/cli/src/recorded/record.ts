import { CommandError, EXIT, withUserErrors } from "../command-error.ts";
import { writeGivenFile } from "../given-file.ts";
import { connect, type ServerOptions } from "../server-address.ts";
import { printText, tell } from "../terminal/print.ts";
import { NotRecordableError, recordSession } from "./record-session.ts";
import { type Recording, readRecording, UnreadableRecordingError, writtenRecording } from "./recording.ts";

const REDACTED = "[redacted]";

export interface RecordOptions extends ServerOptions {
  readonly output?: string;
  readonly redact: readonly string[];
}

/** Records a session into a file or to standard output. */
export async function record(
  sessionId: string,
  { output, redact, ...options }: RecordOptions,
): Promise<void> {
  const hidden = patterns(redact);
  const client = await connect(options);
  const prefix = `Cannot record session ${sessionId}: `;
  const recorded = await withUserErrors([NotRecordableError], () => recordSession(client, sessionId), {
    prefix,
  });
  const recording = redacted(recorded, hidden);
  const text = writtenRecording(recording);
  if (output === undefined) return printText(text);
  await writeGivenFile(output, text, "w");
  tell(`Recorded ${summary(recording)}. Try it: parley verify ${output}`);
}

/** Parses the patterns of `--redact`. */
export function patterns(given: readonly string[]): readonly RegExp[] {
  return given.map((pattern) => {
    try {
      return new RegExp(pattern, "gu");
    } catch (error) {
      throw new CommandError(`--redact ${pattern} is invalid: ${(error as Error).message}`, EXIT.usage);
    }
  });
}

/** Masks all matches in a recording; a `CommandError` where it would become invalid. */
export function redacted(recording: Recording, hidden: readonly RegExp[]): Recording {
  if (hidden.length === 0) return recording;
  const hide = (text: string) => hidden.reduce((left, pattern) => left.replaceAll(pattern, REDACTED), text);
  const left = { ...(hiddenIn(recording, hide) as Recording), format: recording.format };
  try {
    return readRecording(JSON.stringify(left));
  } catch (error) {
    if (!(error instanceof UnreadableRecordingError)) throw error;
    throw new CommandError(
      `--redact hides what a recording needs (${error.message}); use narrower patterns`,
      EXIT.usage,
    );
  }
}

function hiddenIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === "string") return hide(value);
  if (typeof value === "number") return hide(String(value)) === String(value) ? value : REDACTED;
  if (Array.isArray(value)) return value.map((one) => hiddenIn(one, hide));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [hide(key), hiddenIn(one, hide)]));
}

/** The size of a recording in a few words. */
export function summary({ turns }: Recording): string {
  const calls = turns.flatMap((turn) => turn.calls ?? []);
  const agents = new Set(calls.map(({ agent }) => agent)).size;
  const asked = agents > 0 ? `, ${counted(calls.length, "call")} to ${counted(agents, "agent")}` : "";
  return counted(turns.length, "message") + asked;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
