import type { A2AClient, ClientLimits } from "@parley/a2a";
import type { Principal } from "../domain/session-command.ts";

/** An agent's name, and its URL when the run was requested. */
export interface AgentAddress {
  readonly agent: string;
  readonly agentUrl: string;
}

/** How the gateway reaches agents; each call looks them up, because they move. */
export interface AgentCalls {
  /** A client that acts for this principal; throws if the agent is unknown or down. */
  clientFor(address: AgentAddress, principal: Principal): Promise<A2AClient>;
  /** Whether an agent runs here, and is told for which workspace it works. */
  isHosted?(agent: string): boolean;
  /** Whether `clientFor` reaches the platform's own supervisor by this name: only it is believed about other agents. */
  isSupervisor?(agent: string): boolean;
  /** Agents that can stand in, the best first: the named ones in order, or else those that fit. */
  alternatives(address: AgentAddress, named?: readonly string[]): readonly AgentAddress[];
}

/** An agent that is gone is noticed in a few seconds, so that a run ends in time (invariant 6). */
export const gatewayClientLimits: Partial<ClientLimits> = {
  retry: { tries: 3, firstDelayMs: 200, maxDelayMs: 1_000 },
  reconnect: { tries: 5, firstDelayMs: 100, maxDelayMs: 1_000 },
};
