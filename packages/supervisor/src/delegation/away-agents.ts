import { AgentResponseError, isTemporary, OutcomeUnknownError, StreamLostError } from "@parley/a2a";

/** How an agent is waited for that was given work and cannot be reached. */
export const PACE = { firstDelayMs: 100, maxDelayMs: 2_000 };

/** The directory has no way to an agent, now. */
export class NoWayToAgentError extends Error {}

/** Whether this may be because an agent is only being restarted. */
export function mayPass(error: unknown): boolean {
  if (error instanceof OutcomeUnknownError) return mayPass(error.cause);
  return error instanceof NoWayToAgentError || error instanceof StreamLostError || isTemporary(error);
}

/** Whether an agent that has taken nothing says itself that it is to be asked again later. */
export function isPutOff(error: unknown): boolean {
  return error instanceof AgentResponseError && error.status === 503 && error.retryAfter !== undefined;
}
