import type { AgentCard, CardFinding } from "@parley/a2a";

/** `starting` until it was asked for its card once; `down` while it cannot be used, for whatever reason. */
export type AgentState = "starting" | "up" | "down";

/** How an agent is doing, as far as we know. */
export interface AgentStanding {
  readonly state: AgentState;
  /** When it came into this state, as ISO 8601. */
  readonly since: string;
  /** The last card that could be read; an agent that is down keeps it. */
  readonly card?: AgentCard;
  readonly findings: readonly CardFinding[];
  /** Why it cannot be used, in a sentence. */
  readonly trouble?: string;
}

/** An agent that somebody listed, under the name that it has here. */
export interface KnownAgent extends AgentStanding {
  /** Unique, and fit to be the name of a model's tool: at most 64 of a–z, 0–9, _ and -. */
  readonly name: string;
  readonly url: string;
  readonly hosted?: true;
}

/** A finding as a person reads it: `error at $.skills[0].id: it is required`. */
export function findingText({ severity, path, message }: CardFinding): string {
  return `${severity} at ${path}: ${message}`;
}
