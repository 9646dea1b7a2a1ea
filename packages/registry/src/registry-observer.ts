import type { Log } from "@parley/a2a";
import { type AgentState, findingText, type KnownAgent } from "./known-agent.ts";

/** Gets each change of an agent once. */
export interface RegistryObserver {
  stateChanged(agent: KnownAgent, before: AgentState): void;
  /** Not called for the first card. */
  cardChanged(agent: KnownAgent): void;
  /** It is no longer listed. */
  left(agent: KnownAgent): void;
}

const LOGGED_FINDINGS = 10;

/** Logs the changes of agents, one that went down as a warning. */
export function logRegistryObserver(log: Log): RegistryObserver {
  const facts = ({ name, url, findings }: KnownAgent) => ({
    agent: name,
    // A query may hold a secret.
    url: url.split(/[?#]/)[0],
    ...(findings.length > 0 && { findings: findings.slice(0, LOGGED_FINDINGS).map(findingText) }),
  });
  return {
    stateChanged(agent, before) {
      const fields = { ...facts(agent), before };
      if (agent.state === "down") log.warn({ ...fields, trouble: agent.trouble }, "agent is down");
      else log.info(fields, `agent is ${agent.state}`);
    },
    cardChanged: (agent) => log.info(facts(agent), "agent has another card"),
    left: (agent) => log.info(facts(agent), "agent is not listed any more"),
  };
}
