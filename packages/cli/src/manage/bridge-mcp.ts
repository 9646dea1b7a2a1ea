import { createInterface } from "node:readline";
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  parseJSONRPCMessage,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { type ServerOptions, serverUrl, shownKey } from "../server-address.ts";

const initialized = z.looseObject({ protocolVersion: z.string() });
const cancelled = z.looseObject({ requestId: z.union([z.string(), z.number()]) });

/** Stands between a client that only starts programs and a Parley: each line of standard input goes there, each answer out. */
export async function bridgeMcp({ server }: ServerOptions): Promise<void> {
  const key = shownKey();
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const parley = new StreamableHTTPClientTransport(new URL(`${serverUrl(server)}/mcp`), {
    requestInit: { headers },
  });
  /** Requests under way that are cancelled by hanging up. */
  const calls = new Map<string | number, AbortController>();
  const fail = (id: string | number, reason: string) => {
    calls.delete(id);
    write({ jsonrpc: "2.0", id, error: { code: -32_000, message: reason } });
  };
  parley.onmessage = (message) => {
    if (isJSONRPCResultResponse(message)) {
      const { success, data } = initialized.safeParse(message.result);
      if (success) parley.setProtocolVersion(data.protocolVersion);
    }
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) calls.delete(message.id ?? "");
    write(message);
  };
  await parley.start();
  for await (const line of createInterface({ input: process.stdin })) {
    const message = messageIn(line);
    if (!message) continue;
    if (hangsUp(message, calls)) continue;
    const request = isJSONRPCRequest(message) ? message : undefined;
    const ending = request && isStateless(request.params) ? new AbortController() : undefined;
    if (request && ending) calls.set(request.id, ending);
    const options = {
      ...(ending && { requestSignal: ending.signal }),
      ...(request && { onRequestStreamEnd: () => fail(request.id, "It was cut off: call again") }),
    };
    // Each by itself: a call takes as long as its agent does.
    parley.send(message, options).catch((error: unknown) => {
      if (request && !ending?.signal.aborted) fail(request.id, reasonOf(error, server));
    });
  }
  await parley.close();
}

function write(message: JSONRPCMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function messageIn(line: string): JSONRPCMessage | undefined {
  if (line.trim() === "") return undefined;
  try {
    return parseJSONRPCMessage(JSON.parse(line));
  } catch {
    process.stderr.write("A line that is no message of MCP was left out\n");
    return undefined;
  }
}

/** In the revision without sessions a call is cancelled by hanging up, which is not for the program's client to do. */
function hangsUp(message: JSONRPCMessage, calls: Map<string | number, AbortController>): boolean {
  if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") return false;
  const { success, data } = cancelled.safeParse(message.params);
  const call = success ? calls.get(data.requestId) : undefined;
  call?.abort();
  if (success) calls.delete(data.requestId);
  return call !== undefined;
}

function isStateless(params: unknown): boolean {
  const meta = (params as { readonly _meta?: Readonly<Record<string, unknown>> } | undefined)?._meta;
  return meta?.[PROTOCOL_VERSION_META_KEY] !== undefined;
}

function reasonOf(error: unknown, server: string): string {
  if (!(error instanceof SdkHttpError))
    return `Nobody answers at ${server}: start Parley with "npm start", or name another with --server URL`;
  return error.status === 401
    ? `${server} wants to know who you are: set PARLEY_KEY to your API key`
    : `${server} answered ${error.status}: ${error.message}`;
}
