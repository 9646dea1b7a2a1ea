import { z } from "zod";
import type { FollowedRun } from "../followed-run.ts";

const text = z.tuple([z.string(), z.string(), z.int().nonnegative()]);

/** What a client brings back with its user's answers: which run it is about. It opens nothing by itself. */
export function callState({ sessionId, runId, after }: FollowedRun): string {
  return Buffer.from(JSON.stringify([sessionId, runId, after])).toString("base64url");
}

/** The run that it names; undefined: we did not make it. */
export function runIn(state: string): FollowedRun | undefined {
  try {
    const [sessionId, runId, after] = text.parse(JSON.parse(Buffer.from(state, "base64url").toString()));
    return { sessionId, runId, after };
  } catch {
    return undefined;
  }
}
