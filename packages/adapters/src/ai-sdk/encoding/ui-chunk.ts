import { isObject, sseFrame } from "@parley/a2a";

type Parley = { readonly parley: Readonly<Record<string, unknown>> };
/** All tools are known by name alone, and run on our side. */
type Dynamic = { readonly dynamic: true; readonly providerExecuted: true };

/** A chunk of the AI SDK's UI message stream, as far as we send it. */
export type UiChunk =
  | { readonly type: "start"; readonly messageId: string; readonly messageMetadata: UiMetadata }
  | { readonly type: "start-step" | "finish-step" | "reset-step" }
  | { readonly type: "text-start" | "text-end" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "reasoning-start"; readonly id: string; readonly providerMetadata?: Parley }
  | ({
      readonly type: "tool-input-available";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly toolMetadata?: Readonly<Record<string, unknown>>;
    } & Dynamic)
  | {
      readonly type: "tool-approval-request";
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly reason: string;
    }
  | {
      readonly type: "tool-approval-response";
      readonly approvalId: string;
      readonly approved: boolean;
      readonly reason?: string;
      readonly providerExecuted: true;
    }
  | ({
      readonly type: "tool-output-available";
      readonly toolCallId: string;
      readonly output: unknown;
    } & Dynamic)
  | ({
      readonly type: "tool-output-error";
      readonly toolCallId: string;
      readonly errorText: string;
    } & Dynamic)
  | { readonly type: "tool-output-denied"; readonly toolCallId: string }
  | { readonly type: "file"; readonly url: string; readonly mediaType: string }
  | {
      readonly type: "steering-message";
      readonly id: string;
      readonly parts: readonly { readonly type: "text"; readonly text: string }[];
    }
  | { readonly type: `data-${string}`; readonly id: string; readonly data: unknown }
  | { readonly type: "message-metadata"; readonly messageMetadata: UiMetadata }
  | {
      readonly type: "finish";
      readonly finishReason: "stop" | "tool-calls";
      readonly messageMetadata: UiMetadata;
    }
  | { readonly type: "abort"; readonly reason: string }
  | { readonly type: "error"; readonly errorText: string };

/** The metadata of an answer's message. */
export interface UiMetadata {
  /** The session that holds it: after an edit or a new answer to the same, a fork of the chat's. */
  readonly session?: string;
  readonly run?: string;
  readonly agent?: string;
  readonly status?: "running" | "waiting" | "completed" | "failed" | "cancelled";
  /** The last of the session's events in it. */
  readonly seen?: number;
  readonly usage?: Readonly<Record<string, unknown>>;
}

export const UI_STREAM_HEADERS = { "x-vercel-ai-ui-message-stream": "v1" } as const;

/** The chunk as an SSE frame. */
export function chunkFrame(chunk: UiChunk): string {
  const json = JSON.stringify(chunk);
  const isSuspect = json.includes('"__proto__":') || json.includes('"constructor":');
  return sseFrame(isSuspect ? JSON.stringify(chunk, readable) : json);
}

/** Renames members that could reach a prototype: the client's parser ends the stream at them. */
function readable(_: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  const isReaching = (name: string, one: unknown) =>
    name === "__proto__" ||
    (name === "constructor" && typeof one === "object" && one !== null && Object.hasOwn(one, "prototype"));
  const named = Object.entries(value).map(([name, one]) => [isReaching(name, one) ? `(${name})` : name, one]);
  return Object.fromEntries(named);
}
