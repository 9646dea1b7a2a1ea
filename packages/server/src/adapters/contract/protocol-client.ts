import type { AnsweringServer } from "../openai/testing/answering-server.ts";

/** A message as a client keeps it. */
export interface ClientMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly metadata?: unknown;
}

/** What a request came to: the session that it was answered in, and the answer as the client keeps it. */
interface Reply {
  readonly status: number;
  readonly session: string;
  readonly answer: ClientMessage;
  /** The approval that the answer waits for. */
  readonly asked?: string | undefined;
}

/** One conversation of a client that resends its whole history with each request. */
export interface ProtocolClient {
  /** Sends these messages, the last of which is a user's. */
  send(messages: readonly ClientMessage[]): Promise<Reply>;
  /** Sends them, and hangs up as soon as the response begins; returns the session. */
  cut(messages: readonly ClientMessage[]): Promise<string>;
  /** Wants another answer to the last of these messages. */
  regenerate(messages: readonly ClientMessage[]): Promise<Reply>;
  /** Says yes to what the last answer of these asked. */
  approve(messages: readonly ClientMessage[], asked: string): Promise<Reply>;
}

/** Opens a conversation under a name of the client's, as this user. */
export type OpenClient = (server: AnsweringServer, name: string, owner?: string) => ProtocolClient;

/** Posts JSON as this user. */
export function post(
  { api }: AnsweringServer,
  path: string,
  body: object,
  { owner = "ann", signal }: { readonly owner?: string | undefined; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  const headers = { "Content-Type": "application/json", "X-Test-Owner": owner };
  return fetch(`${api.url}${path}`, {
    ...{ method: "POST", headers, body: JSON.stringify(body) },
    ...(signal && { signal }),
  });
}

/** Posts, and hangs up as soon as the response begins; returns the session. */
export async function hangUp(
  server: AnsweringServer,
  path: string,
  body: object,
  owner?: string,
): Promise<string> {
  const controller = new AbortController();
  const response = await post(server, path, body, { owner, signal: controller.signal });
  controller.abort();
  return response.headers.get("x-session-id") ?? "";
}

/** The JSON of an event stream's frames. */
export function framesIn(text: string): readonly Record<string, unknown>[] {
  const lines = text.split("\n").filter((line) => line.startsWith("data: {"));
  return lines.map((line) => JSON.parse(line.slice("data: ".length)));
}
