import { createHash } from "node:crypto";
import { z } from "zod";
import type { FollowedRun } from "../followed-run.ts";
import type { CalledRun, McpClient, McpToolCall } from "./mcp-caller.ts";

/** Values as text that clients bring back without a look into it. It opens nothing by itself: who asks shows who they are. */
export function opaqueText<Schema extends z.ZodType>(prefix: string, schema: Schema) {
  return {
    write: (value: z.infer<Schema>) => `${prefix}${Buffer.from(JSON.stringify(value)).toString("base64url")}`,
    /** Undefined: we did not write it. */
    read(text: string): z.infer<Schema> | undefined {
      if (!text.startsWith(prefix)) return undefined;
      try {
        return schema.parse(JSON.parse(Buffer.from(text.slice(prefix.length), "base64url").toString()));
      } catch {
        return undefined;
      }
    },
  };
}

const approvalText = opaqueText("approval.", z.tuple([z.string(), z.string()]));

/** The id of the request that asks a client's user: whichever node its answer comes to knows what it is the answer to. */
export function approvalRequestId(sessionId: string, approvalId: string): string {
  return approvalText.write([sessionId, approvalId]);
}

/** What such an id is about; undefined: it is no such id. Whose session it is decides who answers. */
export function approvalOf(id: unknown): { sessionId: string; approvalId: string } | undefined {
  const [sessionId, approvalId] = (typeof id === "string" && approvalText.read(id)) || [];
  return sessionId === undefined || approvalId === undefined ? undefined : { sessionId, approvalId };
}

const other = z.string().nullable();
const stateText = opaqueText("", z.tuple([z.string(), z.string(), z.int().nonnegative(), other, other]));

/** What a client brings back with its user's answers: which run it is about. */
export function callState({ sessionId, runId, after, answers, messageId }: CalledRun): string {
  return stateText.write([sessionId, runId, after, answers ?? null, messageId ?? null]);
}

/** The run that it names; undefined: we did not make it. */
export function runIn(state: string): CalledRun | undefined {
  const told = stateText.read(state);
  if (!told) return undefined;
  const [sessionId, runId, after, answers, messageId] = told;
  return { sessionId, runId, after, answers: answers ?? undefined, messageId: messageId ?? undefined };
}

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

/** The member of `_meta` by which a client names a call, so that the same one again leads to the same run. */
export const KEY_META = "parley/idempotency-key";

/**
 * What a call is known by when it comes again: the client's own key, or else the id of its request, which is used once
 * in a session of MCP. Since not every client keeps to that, what it asks for belongs to it. Undefined: each is new.
 */
export function callKey(
  client: McpClient,
  { requestId, key }: McpToolCall,
  asked: unknown,
): string | undefined {
  if (key !== undefined) return `mcp:${key}`;
  if (client.sessionId === undefined) return undefined;
  return `mcp-request:${hashOf([client.sessionId, requestId, asked])}`;
}

/** A request of a session of MCP, as it is noted beside the session of Parley whose message it brought. */
export function requestMark(mcpSessionId: string, requestId: string | number, messageId = ""): string {
  return `mcp-request:${hashOf([mcpSessionId, requestId])}:${messageId}`;
}

function hashOf(told: unknown): string {
  return createHash("sha256").update(JSON.stringify(told)).digest("base64url");
}
