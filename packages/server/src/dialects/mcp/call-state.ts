import { z } from "zod";
import type { CalledRun } from "./mcp-caller.ts";

const other = z.string().nullable();
const text = z.tuple([z.string(), z.string(), z.int().nonnegative(), other, other]);

/** What a client brings back with its user's answers: which run it is about. It opens nothing by itself. */
export function callState({ sessionId, runId, after, answers, messageId }: CalledRun): string {
  const told: z.infer<typeof text> = [sessionId, runId, after, answers ?? null, messageId ?? null];
  return Buffer.from(JSON.stringify(told)).toString("base64url");
}

/** The run that it names; undefined: we did not make it. */
export function runIn(state: string): CalledRun | undefined {
  try {
    const told = text.parse(JSON.parse(Buffer.from(state, "base64url").toString()));
    const [sessionId, runId, after, answers, messageId] = told;
    return { sessionId, runId, after, answers: answers ?? undefined, messageId: messageId ?? undefined };
  } catch {
    return undefined;
  }
}
