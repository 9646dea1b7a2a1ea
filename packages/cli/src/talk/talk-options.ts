import type { ApiClient } from "@parley/client";

/** Whom the user talks to, and about what. */
export interface TalkOptions {
  readonly client: ApiClient;
  /** The server's URL without a trailing slash. */
  readonly server: string;
  readonly sessionId?: string | undefined;
  readonly agent?: string | undefined;
  /** A single message to send. */
  readonly message?: string | undefined;
}

/** The first line of a conversation. */
export function greeting({ server, sessionId, agent = "supervisor" }: TalkOptions): string {
  const what = sessionId === undefined ? `Connected to ${agent}` : `Resumed session ${sessionId}`;
  return `${what} at ${server}. Type /help for commands.`;
}
