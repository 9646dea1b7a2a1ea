import { z } from "zod";
import type { FollowedRun } from "../followed-run.ts";
import { opaqueText } from "./opaque-text.ts";

/** Which call a stream answers, and how far it has come: all that another node needs to go on with it. */
export interface CallPlace extends Pick<FollowedRun, "sessionId" | "runId" | "after" | "answers"> {
  /** The index of the last event that was sent. */
  readonly told: number;
  readonly requestId: string | number;
  readonly progressToken?: string | number | undefined;
}

/** So long an id or a token may be, since it comes back in a header. */
export const MAX_ID = 1_000;

const index = z.int().nonnegative();
const token = z.union([z.string().max(MAX_ID), z.number()]);
const placeText = opaqueText(
  "call.",
  z.tuple([z.string(), z.string(), index, index, token, token.nullable(), z.string().nullable()]),
);

/** It as the `id` of an event, which clients send back as `Last-Event-ID`. */
export function eventIdOf(place: CallPlace): string {
  const { sessionId, runId, after, told, requestId, progressToken, answers } = place;
  return placeText.write([sessionId, runId, after, told, requestId, progressToken ?? null, answers ?? null]);
}

/** The place that an event's `id` names; undefined: it is none of a call. Whose session it is decides who asks. */
export function callPlaceIn(eventId: string): CallPlace | undefined {
  const place = placeText.read(eventId);
  if (!place) return undefined;
  const [sessionId, runId, after, told, requestId, progress, answers] = place;
  const optional = { progressToken: progress ?? undefined, answers: answers ?? undefined };
  return { sessionId, runId, after, told, requestId, ...optional };
}
