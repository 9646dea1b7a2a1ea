import { ApiClient, ApiError } from "@parley/client";
import { Option } from "commander";
import { CommandError, EXIT } from "./command-error.ts";

/** What every command that talks to a running Parley takes. */
export interface ServerOptions {
  readonly server: string;
}

/** `--server URL`, or `PARLEY_URL`, or the one on this machine. */
export function serverOption(): Option {
  const ours = `http://localhost:${process.env.PORT || 8000}`;
  return new Option("--server <url>", "the Parley to talk to").env("PARLEY_URL").default(ours);
}

/** A client of that server's API, once it has answered; else a `CommandError` that says how to start one. */
export async function connected({ server }: ServerOptions): Promise<ApiClient> {
  const client = new ApiClient({ baseUrl: serverUrl(server) });
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
