import type { IncomingHttpHeaders } from "node:http";
import type { Json } from "@parley/a2a";

/** An object as JSON has it. */
export type JsonObject = { readonly [name: string]: Json };

/** One JSON-RPC call that a peer got. */
export interface PeerRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly headers: IncomingHttpHeaders;
  /** What its message says, if it has one. */
  readonly text: string;
}

/** A real third-party agent on its own port. */
export interface Peer {
  readonly url: string;
  /** Every call so far, in the order in which they came. */
  readonly requests: readonly PeerRequest[];
  /** The ids of the tasks that it was asked to cancel. */
  readonly canceled: readonly string[];
  stop(): Promise<void>;
}

/** A peer's card fields. */
export interface PeerOptions {
  readonly name?: string;
  readonly description?: string;
  readonly skills?: readonly PeerSkill[];
}

/** A skill as every dialect's card has it. */
interface PeerSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples?: readonly string[];
}

/** The text of a message's parts, in any dialect. */
function textIn(parts: unknown): string {
  return ((parts ?? []) as { readonly text?: string }[]).map(({ text = "" }) => text).join("");
}

/** The text sent to a peer, in any dialect. */
export function textOfParams(params: JsonObject): string {
  return textIn((params.message as JsonObject | undefined)?.parts);
}
