import { A2AClient } from "@parley/a2a";
import { type AgentAddress, type AgentCalls, gatewayClientLimits } from "../agent-calls.ts";

/** Agents at their URLs; each can stand in for all others that are named. */
export class DirectAgents implements AgentCalls {
  readonly #others: readonly AgentAddress[];
  readonly #supervisor: string | undefined;

  constructor(others: readonly AgentAddress[] = [], supervisor?: string) {
    this.#others = others;
    this.#supervisor = supervisor;
  }

  clientFor({ agentUrl }: AgentAddress): Promise<A2AClient> {
    const limits = { ...gatewayClientLimits, retry: QUICK, reconnect: QUICK };
    return A2AClient.connect(agentUrl, { policy: { allowOrigins: [new URL(agentUrl).origin] }, limits });
  }

  isSupervisor(agent: string): boolean {
    return agent === this.#supervisor;
  }

  alternatives({ agent }: AgentAddress): readonly AgentAddress[] {
    return this.#others.filter((other) => other.agent !== agent);
  }
}

const QUICK = { tries: 3, firstDelayMs: 20, maxDelayMs: 100 };
