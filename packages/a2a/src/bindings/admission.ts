import type { IncomingMessage, ServerResponse } from "node:http";
import type { AgentExtension } from "../cards/agent-card.ts";
import type { Dialect, Operation, OperationRequests } from "../dialects/dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import type { AgentOperations } from "./agent-operations.ts";
import { UnavailableError } from "./http-error.ts";
import { requestedExtensions } from "./request-headers.ts";
import { checkLimits, checkMediaTypes } from "./request-limits.ts";

/** A call over HTTP, before it is known what it asks. */
export interface HttpCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly dialect: Pick<Dialect, "version">;
}

/** Activates the requested extensions of the card, and names them in the response header. */
export function activateExtensions({ capabilities }: AgentOperations, call: HttpCall): void {
  const active = activeExtensions(requestedExtensions(call.request), capabilities.extensions);
  if (active.length === 0) return;
  const header = call.dialect.version === "1.0" ? "A2A-Extensions" : "X-A2A-Extensions";
  call.response.setHeader(header, active.join(", "));
}

/** Refuses what the card does not offer and what exceeds the limits, and everything while the agent starts. */
export function admit<O extends Operation>(
  { capabilities, inputModes, limits, isReady }: AgentOperations,
  operation: O,
  request: OperationRequests[O],
): OperationRequests[O] {
  if (!isReady()) throw new UnavailableError("The agent is just starting", 1);
  if (!capabilities.streaming && (operation === "stream" || operation === "subscribe")) {
    const message = "This agent's card declares no streaming: send the message and get the task instead";
    throw new A2AError("UnsupportedOperation", message, { operation });
  }
  checkLimits(operation, request, limits);
  if ("message" in request) checkMediaTypes(request.message.parts, inputModes);
  return request;
}

/** The extensions that a request named and the agent has, in the order in which they were named. */
export function activeExtensions(
  requested: readonly string[],
  supported: readonly AgentExtension[] = [],
): string[] {
  const missing = supported.filter(({ uri, required }) => required && !requested.includes(uri));
  if (missing.length > 0) {
    const uris = missing.map(({ uri }) => uri).join(", ");
    const message = `This agent needs the extension ${uris}: name it in the header A2A-Extensions`;
    throw new A2AError("ExtensionSupportRequired", message, { extensions: uris });
  }
  return requested.filter((uri) => supported.some((it) => it.uri === uri));
}
