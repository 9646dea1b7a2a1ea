import { A2AError } from "../protocol/errors.ts";
import { isObject } from "../protocol/model.ts";

/** An id as JSON-RPC has it; null where the request had none that could be read. */
export type RpcId = string | number | null;

/** Every frame of a stream repeats the id, so a long one would cost its length over and over. */
const MAX_ID_LENGTH = 256;

/** A call, as far as JSON-RPC goes. */
export interface RpcCall {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
}

/** The id of whatever came, for an error that must carry it. */
export function idOf(body: unknown): RpcId {
  const id = isObject(body) ? body.id : undefined;
  if (typeof id === "string") return id.length > MAX_ID_LENGTH ? null : id;
  return typeof id === "number" ? id : null;
}

/** Checks the envelope. A missing `jsonrpc` is accepted, because documented calls leave it out. */
export function readCall(body: unknown): RpcCall {
  if (Array.isArray(body)) throw invalid("Batches are not part of A2A: send one request at a time");
  if (!isObject(body)) throw invalid("A request is a JSON object with a method");
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== undefined && jsonrpc !== "2.0") throw invalid('jsonrpc must be "2.0"');
  if (id !== undefined && id !== null && typeof id !== "string" && typeof id !== "number") {
    throw invalid("id must be a string or a number");
  }
  if (typeof id === "string" && id.length > MAX_ID_LENGTH) {
    throw invalid(`id has ${id.length} characters and may have ${MAX_ID_LENGTH}`);
  }
  if (typeof method !== "string" || method === "") throw invalid("method must be a string");
  return { id: idOf(body), method, params };
}

/** The text before and after a result: the result itself is already text. */
export function resultEnvelope(id: RpcId): { before: string; after: string } {
  return { before: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, after: "}" };
}

function invalid(message: string): A2AError {
  return new A2AError("InvalidRequest", message);
}
