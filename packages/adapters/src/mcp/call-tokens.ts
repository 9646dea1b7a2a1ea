import { createHash } from "node:crypto";
import { z } from "zod";
import type { FollowedRun } from "../followed-run.ts";
import type { CalledRun, McpClient, McpToolCall } from "./mcp-caller.ts";

/** Encodes values as an opaque token that clients send back. It grants nothing: every request is authenticated. */
export function opaqueText<Schema extends z.ZodType>(prefix: string, schema: Schema) {
  return {
    write: (value: z.infer<Schema>) => `${prefix}${Buffer.from(JSON.stringify(value)).toString("base64url")}`,
    /** Undefined: the token is not ours. */
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

/** The id of a request to a client's user; any node knows from it which approval the answer is for. */
export function approvalRequestId(sessionId: string, approvalId: string): string {
  return approvalText.write([sessionId, approvalId]);
}

/** The approval that such an id names; undefined: it is no such id. */
export function approvalOf(id: unknown): { sessionId: string; approvalId: string } | undefined {
  const [sessionId, approvalId] = (typeof id === "string" && approvalText.read(id)) || [];
  return sessionId === undefined || approvalId === undefined ? undefined : { sessionId, approvalId };
}

const other = z.string().nullable();
const stateText = opaqueText("", z.tuple([z.string(), z.string(), z.int().nonnegative(), other, other]));

/** The token that a client sends back with its user's answers: it names the run. */
export function callState({ sessionId, runId, after, answers, messageId }: CalledRun): string {
  return stateText.write([sessionId, runId, after, answers ?? null, messageId ?? null]);
}

/** The run that the token names; undefined: it is not ours. */
export function runIn(state: string): CalledRun | undefined {
  const values = stateText.read(state);
  if (!values) return undefined;
  const [sessionId, runId, after, answers, messageId] = values;
  return { sessionId, runId, after, answers: answers ?? undefined, messageId: messageId ?? undefined };
}

/** The call that a stream answers, and how far it has come: all that another node needs to resume it. */
export interface CallPlace extends Pick<FollowedRun, "sessionId" | "runId" | "after" | "answers"> {
  /** The index of the last event that was sent. */
  readonly sent: number;
  readonly requestId: string | number;
  readonly progressToken?: string | number | undefined;
}

/** The longest id or token, since it comes back in a header. */
export const MAX_ID = 1_000;

const index = z.int().nonnegative();
const token = z.union([z.string().max(MAX_ID), z.number()]);
const placeText = opaqueText(
  "call.",
  z.tuple([z.string(), z.string(), index, index, token, token.nullable(), z.string().nullable()]),
);

/** The place as the `id` of an event, which clients send back as `Last-Event-ID`. */
export function eventIdOf(place: CallPlace): string {
  const { sessionId, runId, after, sent, requestId, progressToken, answers } = place;
  return placeText.write([sessionId, runId, after, sent, requestId, progressToken ?? null, answers ?? null]);
}

/** The place that an event's `id` names; undefined: it belongs to no call. */
export function callPlaceIn(eventId: string): CallPlace | undefined {
  const place = placeText.read(eventId);
  if (!place) return undefined;
  const [sessionId, runId, after, sent, requestId, progress, answers] = place;
  const optional = { progressToken: progress ?? undefined, answers: answers ?? undefined };
  return { sessionId, runId, after, sent, requestId, ...optional };
}

/** The member of `_meta` that is a call's idempotency key. */
export const KEY_META = "parley/idempotency-key";

/**
 * A call's idempotency key: the client's own, else the id of its request, which should be unique in an MCP session.
 * Not every client keeps to that, so the request's content is part of the key. Undefined: every call is new.
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

/** The mark beside a session that a request of an MCP session posted a message there. */
export function requestMark(mcpSessionId: string, requestId: string | number, messageId = ""): string {
  return `mcp-request:${hashOf([mcpSessionId, requestId])}:${messageId}`;
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}
