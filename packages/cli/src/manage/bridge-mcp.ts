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
import { type ServerOptions, serverUrl, shownKey } from "../server-address.ts";

type Id = string | number;

const initialized = z.looseObject({ protocolVersion: z.string() });
const cancelled = z.looseObject({ requestId: z.union([z.string(), z.number()]) });
const refusal = z.looseObject({ error: z.looseObject({ code: z.int(), message: z.string() }) });

/** A Parley that ends and comes back is waited for: about five minutes. */
const RECONNECTING = {
  initialReconnectionDelay: 500,
  reconnectionDelayGrowFactor: 1.5,
  maxReconnectionDelay: 5_000,
  maxRetries: 65,
};
/** What nobody waits for an answer to, such as what a user decided, is sent again as long as that. */
const AGAIN_MS = [200, 500, 1_000, 2_000, 5_000, 5_000, 5_000, 5_000];

/** Stands between a client that only starts programs and a Parley: each line of standard input goes there, each answer out. */
export async function bridgeMcp({ server }: ServerOptions): Promise<void> {
  const key = shownKey();
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const parley = new StreamableHTTPClientTransport(new URL(`${serverUrl(server)}/mcp`), {
    requestInit: { headers },
    reconnectionOptions: RECONNECTING,
  });
  // Whoever started us has gone: there is nobody to tell.
  process.stdout.on("error", () => process.exit(0));
  /** Requests under way that are cancelled by hanging up. */
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
        onRequestStreamEnd: () => fail(id, { code: -32_000, message: "It was cut off: call again" }),
      });
    } catch (error) {
      if (!ending?.signal.aborted) fail(id, errorMember(error, server));
    }
  };
  await parley.start();
  for await (const line of linesOf(process.stdin)) {
    const message = messageIn(line);
    if (!message || hangsUp(message, calls)) continue;
    // Each by itself: a call takes as long as its agent does.
    void (isJSONRPCRequest(message) ? request(message) : told(parley, message, server));
  }
  isOver = true;
  await parley.close();
}

/** Sends what is not answered, until it has arrived. */
async function told(parley: StreamableHTTPClientTransport, message: JSONRPCMessage, server: string) {
  for (const ms of [...AGAIN_MS, undefined]) {
    try {
      return await parley.send(message);
    } catch (error) {
      const isRefused = error instanceof SdkHttpError && error.status !== undefined && error.status < 500;
      if (ms === undefined || isRefused)
        return void process.stderr.write(`A message did not arrive: ${errorMember(error, server).message}\n`);
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
    process.stderr.write("A line that is no message of MCP was left out\n");
    return undefined;
  }
}

/** In the revision without sessions a call is cancelled by hanging up, which is not for the program's client to do. */
function hangsUp(message: JSONRPCMessage, calls: Map<Id, AbortController>): boolean {
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

/** Why a request has no answer: in Parley's own words, where it has some. */
function errorMember(error: unknown, server: string): { readonly code: number; readonly message: string } {
  const own = (message: string) => ({ code: -32_000, message });
  if (error instanceof TypeError)
    return own(
      `Nobody answers at ${server}: start Parley with "npm start", or name another with --server URL`,
    );
  if (!(error instanceof SdkHttpError))
    return own(`What answers at ${server} is not Parley: name it with --server URL`);
  if (error.status === 401 && shownKey() === undefined)
    return own(`${server} wants to know who you are: set PARLEY_KEY to your API key`);
  return refusalIn(error.data.text) ?? own(`${server} answered ${error.status}: ${error.message}`);
}

function refusalIn(text: unknown): z.infer<typeof refusal>["error"] | undefined {
  try {
    return refusal.parse(JSON.parse(String(text))).error;
  } catch {
    return undefined;
  }
}

/** Lines as JSON is sent in them: a newline alone ends one, whereas `readline` also ends it at U+2028, which JSON may contain. */
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
