import { randomUUID } from "node:crypto";
import { type AgentRegistry, AgentsStartingError, UnknownAgentError } from "@parley/registry";
import { CommandRefusedError, type RunRequest } from "@parley/sessions";
import { SUPERVISOR } from "@parley/supervisor";
import type { Runs } from "../api/api-ports.ts";
import { currentTraceparent } from "../telemetry/traced-requests.ts";

/** Which agent a message goes to: the one that is asked for by name or by skill, else the session's, else the supervisor (S4.26). */
export function runTargets(registry: AgentRegistry, supervisorUrl: string): Runs {
  return {
    newRun(_, session, { agent: named, skill } = {}): RunRequest {
      const agent = named ?? (skill === undefined ? session.agent : skilled(registry, skill)) ?? SUPERVISOR;
      const runId = `run_${randomUUID()}`;
      const run = { runId, agent, contextId: runId, traceparent: currentTraceparent() };
      if (agent === SUPERVISOR) return { ...run, agentUrl: supervisorUrl };
      const known = registry.agent(agent);
      if (known) return { ...run, agentUrl: known.url };
      if (!registry.isStarted) throw new AgentsStartingError();
      throw new UnknownAgentError(agent, [SUPERVISOR, ...registry.agents().map(({ name }) => name)]);
    },
  };
}

function skilled(registry: AgentRegistry, skill: string): string {
  const [best] = registry.skilledAgents(skill);
  if (best) return best.name;
  if (!registry.isStarted) throw new AgentsStartingError();
  throw new CommandRefusedError("not_found", `No agent that is up has the skill ${skill}`);
}
