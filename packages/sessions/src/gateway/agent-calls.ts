import type { A2AClient, ClientLimits } from "@parley/a2a";
import type { Principal } from "../domain/session-command.ts";

/** An agent by its name and where it was when the run was asked for. */
export interface AgentAddress {
  readonly agent: string;
  readonly agentUrl: string;
}

/** How the gateway reaches agents: they are looked up at each call, because they move. */
export interface AgentCalls {
  /** A client that asks on this principal's behalf; throws when there is no such agent, or it cannot be used now. */
  clientFor(address: AgentAddress, principal: Principal): Promise<A2AClient>;
  /** Whether an agent runs here, and hears for which workspace it works. */
  isHosted?(agent: string): boolean;
  /** Who could stand in, the best first: those that were named, in that order, or else whoever fits. */
  alternatives(address: AgentAddress, named?: readonly string[]): readonly AgentAddress[];
}

/** Limits with which an agent that is gone is known to be gone in a few seconds, so that a run ends in time (invariant 6). */
export const gatewayClientLimits: Partial<ClientLimits> = {
  retry: { tries: 3, firstDelayMs: 200, maxDelayMs: 1_000 },
  reconnect: { tries: 5, firstDelayMs: 100, maxDelayMs: 1_000 },
};
