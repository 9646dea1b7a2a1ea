import { CommandError, EXIT } from "../command-error.ts";
import { type Recording, readRecording, UnreadableRecordingError } from "./recording.ts";

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
