import type { ApiClient } from "@parley/client";

/** With whom is spoken, and about what. */
export interface TalkOptions {
  readonly client: ApiClient;
  /** The server's address, with no slash at its end. */
  readonly server: string;
  readonly sessionId?: string | undefined;
  readonly agent?: string | undefined;
  /** The one thing to be said. */
  readonly message?: string | undefined;
}

/** With what a conversation begins. */
export function greeting({ server, sessionId, agent = "the supervisor" }: TalkOptions): string {
  const what = sessionId === undefined ? `You speak to ${agent}` : `This is session ${sessionId}`;
  return `${what} at ${server}. /help says what else there is.`;
}
