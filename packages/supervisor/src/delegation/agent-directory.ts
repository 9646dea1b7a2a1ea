import {
  type A2AClient,
  A2AError,
  type AgentCard,
  AgentResponseError,
  isTemporary,
  OutcomeUnknownError,
  StreamLostError,
} from "@parley/a2a";

const MAX_SHOWN = 200;

/** An agent that can be delegated to, as far as the supervisor cares. */
export interface Delegate {
  readonly name: string;
  readonly url: string;
  readonly card: AgentCard;
  /** It runs here, and is told for which workspace it works. */
  readonly hosted?: true;
}

/** The agents that can be delegated to, at this moment. */
export interface AgentDirectory {
  delegates(): readonly Delegate[];
  /** Looks for an agent that is down; throws where it is unknown or cannot be reached. */
  client(name: string): Promise<A2AClient>;
  /** Others with the same skills, the best first. */
  alternatives(name: string): readonly Delegate[];
}

/** The directory cannot reach an agent now. */
export class AgentUnreachableError extends Error {}

/** The agent of this name; an unknown one is looked for until `wait` resolves with false. */
export async function findDelegate(
  directory: AgentDirectory,
  agent: string,
  wait: () => Promise<boolean>,
): Promise<Delegate | undefined> {
  for (;;) {
    const found = directory.delegates().find(({ name }) => name === agent);
    if (found || !(await wait())) return found;
    // Whether it is there now shows in the next round.
    await directory.client(agent).catch(() => {});
  }
}

/** Whether an error may pass because the agent is only being restarted. */
export function mayPass(error: unknown): boolean {
  if (error instanceof OutcomeUnknownError) return mayPass(error.cause);
  return error instanceof AgentUnreachableError || error instanceof StreamLostError || isTemporary(error);
}

/** Whether an agent that has taken nothing asks to be called again later. */
export function asksToRetry(error: unknown): boolean {
  return error instanceof AgentResponseError && error.status === 503 && error.retryAfter !== undefined;
}

/** Why the result of an agent that died at work is missing; undefined: it did not die. */
export function lostAgentMessage(agent: string, error: Error, said: string): string | undefined {
  const isForgotten = error instanceof A2AError && error.kind === "TaskNotFound";
  if (!isForgotten && !mayPass(error)) return undefined;
  const how = isForgotten ? "came back without its task" : `did not come back in time (${error.message})`;
  const words = said.trim().replaceAll(/\s+/g, " ");
  const shown = words.length > MAX_SHOWN ? `${words.slice(0, MAX_SHOWN)}…` : words;
  const rest = words === "" ? "It had said nothing yet." : `It had only said: "${shown}"`;
  return `${agent} died in the middle of its work and ${how}, so its result is missing. ${rest}`;
}
