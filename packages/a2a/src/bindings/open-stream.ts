import type { OperationRequests } from "../dialects/dialect.ts";
import type { StreamResponse } from "../protocol/model.ts";
import type { Caller } from "../tasks/caller.ts";
import { admit } from "./admission.ts";
import { type AgentOperations, mayChange } from "./agent-operations.ts";

/** A call that is answered with a stream. */
export type ServedStreamCall =
  | { readonly operation: "stream"; readonly request: OperationRequests["stream"] }
  | { readonly operation: "subscribe"; readonly request: OperationRequests["subscribe"] };

/** What a stream carries, where its events' indices have no place to travel. */
export type PayloadBatches = AsyncIterable<readonly { readonly payload: StreamResponse }[]>;

/** Opens the stream that answers a call; what is refused is thrown before there is one. */
export async function openStream(
  operations: AgentOperations,
  call: ServedStreamCall,
  { caller, signal }: { readonly caller: Caller; readonly signal: AbortSignal },
): Promise<PayloadBatches> {
  const { operation, request } = call;
  const { tasks } = operations;
  admit(operations, operation, request);
  if (operation === "subscribe") return tasks.subscribe({ id: request.id, signal }, caller);
  const accepted = await tasks.stream(request, mayChange(caller), signal);
  return "message" in accepted ? single({ message: accepted.message }) : accepted.events;
}

async function* single(payload: StreamResponse): PayloadBatches {
  yield [{ payload }];
}
