import { onTestFinished } from "vitest";
import type { AgentListing, AgentSource } from "../agent-listing.ts";
import { ListedAgents } from "../agent-listing.ts";
import { AgentRegistry, type AgentRegistryOptions } from "../agent-registry.ts";
import type { KnownAgent } from "../known-agent.ts";

/** A registry of a test, with what its observer heard. */
export interface WatchedRegistry {
  readonly registry: AgentRegistry;
  /** Like `echo: starting → up`, `echo: card`, `echo: left`. */
  readonly heard: readonly string[];
  /** Resolves as soon as this holds of what the registry knows. */
  until(holds: () => boolean): Promise<void>;
  /** Resolves with an agent as soon as it is in this state. */
  untilState(name: string, state: KnownAgent["state"]): Promise<KnownAgent>;
}

/** A registry that polls so often that a test need not wait, and ends with the test. */
export function watchedRegistry(
  from: AgentSource | readonly AgentListing[],
  options: Partial<AgentRegistryOptions> = {},
): WatchedRegistry {
  const heard: string[] = [];
  const source = "listings" in from ? from : new ListedAgents(from.map((it) => ({ vouched: true, ...it })));
  const registry = new AgentRegistry({
    sources: [source],
    policy: {},
    pollMs: 20,
    firstRetryMs: 10,
    longestRetryMs: 40,
    client: { limits: { retry: { tries: 0, firstDelayMs: 1, maxDelayMs: 1 } } },
    observer: {
      stateChanged: ({ name, state }, before) => void heard.push(`${name}: ${before} → ${state}`),
      cardChanged: ({ name }) => void heard.push(`${name}: card`),
      left: ({ name }) => void heard.push(`${name}: left`),
    },
    ...options,
  });
  onTestFinished(() => registry.stop());
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!holds()) return;
        unsubscribe();
        resolve();
      };
      const unsubscribe = registry.onChange(look);
      look();
    });
  return {
    registry,
    heard,
    until,
    async untilState(name, state) {
      await until(() => registry.agent(name)?.state === state);
      return registry.agent(name) as KnownAgent;
    },
  };
}
