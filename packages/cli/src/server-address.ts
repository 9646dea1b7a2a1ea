import { ApiClient, ApiError } from "@parley/client";
import { Option } from "commander";
import { CommandError, EXIT } from "./command-error.ts";

/** A server that restarts is back within seconds: whoever sits before a terminal is not to wait for half a minute. */
export const BACKOFF = { firstMs: 200, maxMs: 2_000 };

/** What every command that talks to a running Parley takes. */
export interface ServerOptions {
  readonly server: string;
}

/** The Parley that is meant where none is named. */
export function usualServer(): string {
  return process.env.PARLEY_URL || `http://localhost:${process.env.PORT || 8000}`;
}

/** `--server URL`, or `PARLEY_URL`, or the one on this machine. */
export function serverOption(): Option {
  const ours = `http://localhost:${process.env.PORT || 8000}`;
  return new Option("--server <url>", "the Parley to talk to").env("PARLEY_URL").default(ours);
}

/** `--key KEY`, which has the same effect as `PARLEY_KEY` and comes before it. */
export function keyOption(): Option {
  return new Option(
    "--key <key>",
    "your API key there; better in PARLEY_KEY, where no list of processes shows it",
  );
}

/** The API key to show, if there is one; a `CommandError` where it can be none. */
export function shownKey(): string | undefined {
  const key = process.env.PARLEY_KEY?.trim();
  if (!key) return undefined;
  if (/^[!-~]+$/.test(key)) return key;
  throw new CommandError("PARLEY_KEY, or --key, is no API key: it begins with parley_", EXIT.usage);
}

/** The server wants to know who asks, and was told nothing. */
export class NobodyKnownError extends CommandError {
  constructor(server: string) {
    super(
      `${server} wants to know who you are: set PARLEY_KEY to your API key ("parley keys --help" says how the first is made)`,
    );
  }
}

/** A client of that server's API, once it has answered; else a `CommandError` that says how to start one. */
export async function connected({ server }: ServerOptions): Promise<ApiClient> {
  const client = new ApiClient({ baseUrl: serverUrl(server), key: shownKey() });
  try {
    await client.listSessions({ limit: 1 }, { attempts: 1 });
  } catch (error) {
    if (error instanceof ApiError && (error.code === "unreachable" || error.code === "deadline"))
      throw new CommandError(
        `Nobody answers at ${server}: start Parley with "npm start", or name another with --server URL`,
        EXIT.unreachable,
      );
    if (error instanceof ApiError && error.code === "unreadable")
      throw new CommandError(`What answers at ${server} is not Parley: name it with --server URL`);
    if (error instanceof ApiError && error.code === "not_authenticated" && shownKey() === undefined)
      throw new NobodyKnownError(server);
    throw error;
  }
  return client;
}

/** The address as a URL with no slash at its end; a `CommandError` where it is none. */
export function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url.href.replace(/\/$/, "");
  throw new CommandError(`--server must be an address like http://localhost:8000, not ${text}`, EXIT.usage);
}
