import { compareTurns } from "./compare-turns.ts";
import type { Aspect, Difference } from "./difference.ts";
import type { Recording } from "./recording.ts";
import { startReplayPlatform } from "./replay-platform.ts";
import { replayTurns } from "./replay-recording.ts";

export interface VerifyRecordingOptions {
  readonly model?: string | undefined;
  /** The files of the agents that are to be real, by name. */
  readonly real: ReadonlyMap<string, string>;
  readonly ignored: ReadonlySet<Aspect>;
  readonly timeoutMs: number;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Hears which message is sent, from 1. */
  sends(number: number): void;
}

/** What came of a recording's messages this time. */
export interface Verified {
  readonly differences: readonly Difference[];
  /** The recording with what came this time. */
  readonly outcome: Recording;
  readonly model: string;
}

/** Sends a recording's messages to a platform of its own, whose agents answer as recorded, and compares what comes of them. */
export async function verifyRecording(
  recording: Recording,
  options: VerifyRecordingOptions,
): Promise<Verified> {
  const platform = await startReplayPlatform(recording, options);
  try {
    const turns = await replayTurns(platform.client, recording, options);
    const differences = compareTurns(recording.turns, turns, options.ignored);
    return { differences, outcome: { ...recording, turns }, model: platform.model };
  } finally {
    await platform.stop();
  }
}
