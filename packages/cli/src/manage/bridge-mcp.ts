import { StringDecoder } from "node:string_decoder";
import { setTimeout as sleep } from "node:timers/promises";
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  parseJSONRPCMessage,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import {
  apiKey,
  KeyRequiredError,
  notParleyMessage,
  type ServerOptions,
  serverUrl,
  unreachableMessage,
} from "../server-address.ts";
import { tell } from "../terminal/print.ts";

type Id = string | number;

const initialized = z.looseObject({ protocolVersion: z.string() });
const cancelled = z.looseObject({ requestId: z.union([z.string(), z.number()]) });
const refusal = z.looseObject({ error: z.looseObject({ code: z.int(), message: z.string() }) });

/** Waits about five minutes for a server that restarts. */
const RECONNECTING = {
  initialReconnectionDelay: 500,
  reconnectionDelayGrowFactor: 1.5,
  maxReconnectionDelay: 5_000,
  maxRetries: 65,
};
/** Pauses between attempts to send what has no answer, such as a user's decision. */
const RETRY_PAUSES_MS = [200, 500, 1_000, 2_000, 5_000, 5_000, 5_000, 5_000];

/** Forwards MCP messages between standard input and output and a Parley server. */
export async function bridgeMcp({ server }: ServerOptions): Promise<void> {
  const key = apiKey();
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const parley = new StreamableHTTPClientTransport(new URL(`${serverUrl(server)}/mcp`), {
    requestInit: { headers },
    reconnectionOptions: RECONNECTING,
  });
  // The client is gone.
  process.stdout.on("error", () => process.exit(0));
  /** Open requests that are cancelled by closing the connection. */
  const calls = new Map<Id, AbortController>();
  let isOver = false;
  const fail = (id: Id, error: object) => {
    calls.delete(id);
    if (!isOver) write({ jsonrpc: "2.0", id, error });
  };
  parley.onmessage = (message) => {
    if (isJSONRPCResultResponse(message)) {
      const { success, data } = initialized.safeParse(message.result);
      if (success) parley.setProtocolVersion(data.protocolVersion);
    }
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) calls.delete(message.id ?? "");
    write(message);
  };
  const request = async (message: JSONRPCRequest) => {
    const { id } = message;
    const ending = isStateless(message.params) ? new AbortController() : undefined;
    if (ending) calls.set(id, ending);
    try {
      await parley.send(message, {
        ...(ending && { requestSignal: ending.signal }),
        onRequestStreamEnd: () => fail(id, { code: -32_000, message: "The connection was lost: call again" }),
      });
    } catch (error) {
      if (!ending?.signal.aborted) fail(id, errorMember(error, server));
    }
  };
  await parley.start();
  for await (const line of linesOf(process.stdin)) {
    const message = messageIn(line);
    if (!message || isCancelled(message, calls)) continue;
    // In parallel: a call takes as long as its agent does.
    void (isJSONRPCRequest(message) ? request(message) : deliver(parley, message, server));
  }
  isOver = true;
  await parley.close();
}

/** Sends a message that has no answer until it has arrived. */
async function deliver(parley: StreamableHTTPClientTransport, message: JSONRPCMessage, server: string) {
  for (const ms of [...RETRY_PAUSES_MS, undefined]) {
    try {
      return await parley.send(message);
    } catch (error) {
      const isRefused = error instanceof SdkHttpError && error.status !== undefined && error.status < 500;
      if (ms === undefined || isRefused)
        return tell(`A message was not delivered: ${errorMember(error, server).message}`);
      await sleep(ms, undefined, { ref: false });
    }
  }
}

function write(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function messageIn(line: string): JSONRPCMessage | undefined {
  if (line.trim() === "") return undefined;
  try {
    return parseJSONRPCMessage(JSON.parse(line));
  } catch {
    tell("Ignored a line that is not an MCP message");
    return undefined;
  }
}

/** Cancels a call of the stateless revision, which is done by closing its connection. */
function isCancelled(message: JSONRPCMessage, calls: Map<Id, AbortController>): boolean {
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

/** Why a request has no answer, in the server's words where it gave some. */
function errorMember(error: unknown, server: string): { readonly code: number; readonly message: string } {
  const own = (message: string) => ({ code: -32_000, message });
  if (error instanceof TypeError) return own(unreachableMessage(server));
  if (!(error instanceof SdkHttpError)) return own(notParleyMessage(server));
  if (error.status === 401 && apiKey() === undefined) return own(new KeyRequiredError(server).message);
  return refusalIn(error.data.text) ?? own(`${server} answered ${error.status}: ${error.message}`);
}

function refusalIn(text: unknown): z.infer<typeof refusal>["error"] | undefined {
  try {
    return refusal.parse(JSON.parse(String(text))).error;
  } catch {
    return undefined;
  }
}

/** Splits input at newlines only; `readline` also splits at U+2028, which JSON may contain. */
async function* linesOf(input: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  for await (const chunk of input) {
    const text = typeof chunk === "string" ? chunk : decoder.write(chunk);
    const [first = "", ...others] = text.split("\n");
    pieces.push(first);
    for (const other of others) {
      yield pieces.join("");
      pieces = [other];
    }
  }
  yield pieces.join("");
}
