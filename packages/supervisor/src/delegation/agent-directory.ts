import type { A2AClient, AgentCard } from "@parley/a2a";

/** An agent that can be delegated to, as far as the supervisor cares. */
export interface Delegate {
  readonly name: string;
  readonly url: string;
  readonly card: AgentCard;
  /** It runs here, and hears for which workspace it works. */
  readonly hosted?: true;
}

/** The agents that can be delegated to, at this moment. */
export interface AgentDirectory {
  delegates(): readonly Delegate[];
  /** Looks for an agent that is not there; throws where it is not known, or cannot be reached. */
  client(name: string): Promise<A2AClient>;
  /** Others that can do the same, the best first. */
  alternatives(name: string): readonly Delegate[];
}
