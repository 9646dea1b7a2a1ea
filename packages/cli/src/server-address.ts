import { ApiClient, ApiError } from "@parley/client";
import { Option } from "commander";
import { CommandError, EXIT, isUnreachable } from "./command-error.ts";

/** A restarting server is back within seconds, and someone is waiting at the terminal. */
export const BACKOFF = { firstMs: 200, maxMs: 2_000 };

/** The options of every command that calls a server. */
export interface ServerOptions {
  readonly server: string;
}

/** The options of a command that calls a server and can print JSON. */
export interface PrintOptions extends ServerOptions {
  readonly json?: boolean;
}

/** The server that is called where none is named. */
export function defaultServer(): string {
  return process.env.PARLEY_URL || localServer();
}

function localServer(): string {
  return `http://localhost:${process.env.PORT || 8000}`;
}

/** `--server URL`, or `PARLEY_URL`, or the one on this machine. */
export function serverOption(): Option {
  return new Option("--server <url>", "the Parley server").env("PARLEY_URL").default(localServer());
}

/** `--key KEY`, which takes precedence over `PARLEY_KEY`. */
export function keyOption(): Option {
  return new Option("--key <key>", "your API key; prefer PARLEY_KEY, which process lists do not show");
}

/** The user's API key, if there is one. */
export function apiKey(): string | undefined {
  const key = process.env.PARLEY_KEY?.trim();
  if (!key) return undefined;
  if (/^[!-~]+$/.test(key)) return key;
  throw new CommandError("PARLEY_KEY or --key is not an API key; keys start with parley_", EXIT.usage);
}

/** The server requires an API key, and none is set. */
export class KeyRequiredError extends CommandError {
  constructor(server: string) {
    super(
      `${server} requires an API key: set PARLEY_KEY ("parley keys --help" shows how to create the first one)`,
    );
  }
}

/** Where the server does not answer, and what to do. */
export function unreachableMessage(server: string): string {
  return `Cannot reach Parley at ${server}: start it with "npm start", or use --server URL`;
}

/** Where something else answers, and what to do. */
export function notParleyMessage(server: string): string {
  return `The server at ${server} is not Parley: use --server URL`;
}

/** Returns a client once the server has answered; a `CommandError` says what to do where it does not. */
export async function connect({ server }: ServerOptions): Promise<ApiClient> {
  const key = apiKey();
  const client = new ApiClient({ baseUrl: serverUrl(server), key });
  try {
    await client.listSessions({ limit: 1 }, { attempts: 1 });
  } catch (error) {
    if (isUnreachable(error)) throw new CommandError(unreachableMessage(server), EXIT.unreachable);
    const code = error instanceof ApiError ? error.code : undefined;
    if (code === "unreadable") throw new CommandError(notParleyMessage(server));
    if (code === "not_authenticated" && key === undefined) throw new KeyRequiredError(server);
    throw error;
  }
  return client;
}

/** The URL of `--server` without a trailing slash. */
export function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url.href.replace(/\/$/, "");
  throw new CommandError(`--server must be a URL like http://localhost:8000, not ${text}`, EXIT.usage);
}
