import type { Log } from "@parley/a2a";
import { type AgentState, findingText, type KnownAgent } from "./known-agent.ts";

/** Hears what becomes of agents: each change once, however often they are looked at. */
export interface RegistryObserver {
  stateChanged(agent: KnownAgent, before: AgentState): void;
  /** Another card than before; not the first one. */
  cardChanged(agent: KnownAgent): void;
  /** It is not listed any more. */
  left(agent: KnownAgent): void;
}

/** Hears and says nothing. */
export const silentRegistryObserver: RegistryObserver = {
  stateChanged() {},
  cardChanged() {},
  left() {},
};

/** A line of a log stays readable. */
const LOGGED_FINDINGS = 10;

/** Writes what becomes of agents as structured lines, an agent that went down as a warning. */
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
