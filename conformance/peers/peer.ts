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

/** A real agent on a port of its own, of another make than ours. */
export interface Peer {
  readonly url: string;
  /** Every call so far, in the order in which they came. */
  readonly requests: readonly PeerRequest[];
  /** The ids of the tasks that somebody asked it to cancel. */
  readonly canceled: readonly string[];
  stop(): Promise<void>;
}

/** What a peer says about itself. */
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

/** What somebody says to a peer, in any dialect. */
export function textOfParams(params: JsonObject): string {
  return textIn((params.message as JsonObject | undefined)?.parts);
}
