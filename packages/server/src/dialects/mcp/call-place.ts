import { z } from "zod";
import type { FollowedRun } from "../followed-run.ts";

/** Which call a stream answers, and how far it has come: all that another node needs to go on with it. */
export interface CallPlace extends Pick<FollowedRun, "sessionId" | "runId" | "after" | "answers"> {
  /** The session's index of the last event that was told. */
  readonly told: number;
  readonly requestId: string | number;
  readonly progressToken?: string | number | undefined;
}

/** So long an id or a token may be, since it comes back in a header. */
export const LONGEST_ID = 1_000;

const index = z.int().nonnegative();
const token = z.union([z.string().max(LONGEST_ID), z.number()]);
const placeText = z.tuple([
  ...([z.string(), z.string(), index, index, token, token.nullable()] as const),
  z.string().nullable(),
]);
const PREFIX = "call.";

/** It as the `id` of an event, which clients send back as `Last-Event-ID`. */
export function eventIdOf(place: CallPlace): string {
  const { sessionId, runId, after, told, requestId, progressToken, answers } = place;
  const text: z.infer<typeof placeText> = [
    ...([sessionId, runId, after, told, requestId] as const),
    progressToken ?? null,
    answers ?? null,
  ];
  return `${PREFIX}${Buffer.from(JSON.stringify(text)).toString("base64url")}`;
}

/** The place that an event's `id` names; undefined: it is none of a call. Whose session it is decides who asks. */
export function callPlaceIn(eventId: string): CallPlace | undefined {
  if (!eventId.startsWith(PREFIX)) return undefined;
  try {
    const text = Buffer.from(eventId.slice(PREFIX.length), "base64url").toString();
    const [sessionId, runId, after, told, requestId, progress, answers] = placeText.parse(JSON.parse(text));
    const optional = { progressToken: progress ?? undefined, answers: answers ?? undefined };
    return { sessionId, runId, after, told, requestId, ...optional };
  } catch {
    return undefined;
  }
}
