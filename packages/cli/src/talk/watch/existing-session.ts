import { type ApiClient, ApiError } from "@parley/client";
import { CommandError } from "../../command-error.ts";

/** Resolves where there is such a session; else a `CommandError` that says so. */
export async function existingSession(client: ApiClient, sessionId: string): Promise<void> {
  await orNoSession(sessionId, client.listEvents(sessionId, { limit: 1 }));
}

/** What is asked of a session; a `CommandError` where there is none. */
export async function orNoSession<Answer>(sessionId: string, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) throw noSession(sessionId);
    throw error;
  }
}

/** Why nothing can be done with a session that is not there. */
export function noSession(sessionId: string): CommandError {
  return new CommandError(`There is no session ${sessionId}: parley sessions lists those that there are`);
}
