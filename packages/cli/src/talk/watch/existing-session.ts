import { type ApiClient, ApiError } from "@parley/client";
import { CommandError } from "../../command-error.ts";

/** Rejects with a `CommandError` where the session does not exist. */
export async function existingSession(client: ApiClient, sessionId: string): Promise<void> {
  await orNoSession(sessionId, client.listEvents(sessionId, { limit: 1 }));
}

/** Turns "not found" into a `CommandError` about the session. */
export async function orNoSession<Answer>(sessionId: string, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) throw noSession(sessionId);
    throw error;
  }
}

/** The error for a session that does not exist. */
export function noSession(sessionId: string): CommandError {
  return new CommandError(`No session ${sessionId}; "parley sessions" lists them`);
}
