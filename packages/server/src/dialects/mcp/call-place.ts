import { z } from "zod";

/** Which call a stream answers, and how far it has come: all that another node needs to go on with it. */
export interface CallPlace {
  readonly sessionId: string;
  readonly runId: string;
  /** The session's index before the first event that the call tells of. */
  readonly after: number;
  /** The session's index of the last event that was told. */
  readonly told: number;
  readonly requestId: string | number;
  readonly progressToken?: string | number | undefined;
}

const index = z.int().nonnegative();
const token = z.union([z.string().max(1_000), z.number()]);
const placeText = z.tuple([z.string(), z.string(), index, index, token, token.nullable()]);
const PREFIX = "call.";

/** It as the `id` of an event, which clients send back as `Last-Event-ID`. */
export function eventIdOf({ sessionId, runId, after, told, requestId, progressToken }: CallPlace): string {
  const text: z.infer<typeof placeText> = [sessionId, runId, after, told, requestId, progressToken ?? null];
  return `${PREFIX}${Buffer.from(JSON.stringify(text)).toString("base64url")}`;
}

/** The place that an event's `id` names; undefined: it is none of a call. Whose session it is decides who asks. */
export function callPlaceIn(eventId: string): CallPlace | undefined {
  if (!eventId.startsWith(PREFIX)) return undefined;
  try {
    const text = Buffer.from(eventId.slice(PREFIX.length), "base64url").toString();
    const [sessionId, runId, after, told, requestId, progress] = placeText.parse(JSON.parse(text));
    return { sessionId, runId, after, told, requestId, progressToken: progress ?? undefined };
  } catch {
    return undefined;
  }
}
