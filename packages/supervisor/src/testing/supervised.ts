import {
  A2AClient,
  type EgressPolicy,
  type StreamedEvent,
  type StreamResponse,
  taskTables,
} from "@parley/a2a";
import { type Journal, openMemoryJournal } from "@parley/journal";
import type { Model } from "@parley/models";
import { onTestFinished } from "vitest";
import type { AgentDirectory } from "../delegation/agent-directory.ts";
import { SupervisorExecutor, type SupervisorSetup } from "../supervisor-executor.ts";
import { ServedAgent, type ServedAgentOptions } from "./served-agent.ts";

/** A directory of just these agents, which all can replace each other where they share a skill. */
export async function directoryOf(agents: readonly { name: string; url: string }[]): Promise<AgentDirectory> {
  const clients = new Map<string, A2AClient>();
  const policyOf = (url: string): EgressPolicy => ({ allowOrigins: [new URL(url).origin] });
  for (const { name, url } of agents)
    clients.set(
      name,
      await A2AClient.connect(url, { policy: policyOf(url), limits: { reconnect: QUICK, retry: QUICK } }),
    );
  const delegates = () =>
    agents.flatMap(({ name, url }) => {
      const card = clients.get(name)?.card;
      return card ? [{ name, url, card }] : [];
    });
  const skillsOf = (name: string) => clients.get(name)?.card.skills.map(({ id }) => id) ?? [];
  return {
    delegates,
    alternatives: (name) =>
      delegates().filter(
        (other) => other.name !== name && skillsOf(other.name).some((id) => skillsOf(name).includes(id)),
      ),
    async client(name) {
      const client = clients.get(name);
      if (!client) throw new Error(`There is no agent ${name}`);
      return client;
    },
  };
}

const QUICK = { tries: 4, firstDelayMs: 20, maxDelayMs: 200 };

export interface SupervisedOptions extends Partial<SupervisorSetup> {
  readonly model: Model;
  readonly agents: readonly (ServedAgent | ServedAgentOptions)[];
  readonly journal?: Journal;
}

/** A supervisor over these agents, all of them real and reached over HTTP. */
export class Supervised {
  readonly agent: ServedAgent;
  readonly client: A2AClient;
  readonly agents: ReadonlyMap<string, ServedAgent>;

  private constructor(agent: ServedAgent, client: A2AClient, agents: ReadonlyMap<string, ServedAgent>) {
    this.agent = agent;
    this.client = client;
    this.agents = agents;
  }

  static async start(options: SupervisedOptions): Promise<Supervised> {
    const { model, agents, journal = openMemoryJournal({ projections: taskTables }), ...setup } = options;
    const served = await Promise.all(
      agents.map((one) => (one instanceof ServedAgent ? one : ServedAgent.start(one))),
    );
    const directory = setup.directory ?? (await directoryOf(served));
    const self = { name: "supervisor", url: "http://127.0.0.1:1" };
    const executor = new SupervisorExecutor(() => ({ self, model, instructions: "", ...setup, directory }));
    const agent = await ServedAgent.start({ name: "supervisor", executor, journal });
    const client = await A2AClient.connect(agent.url, { policy: { allowOrigins: [agent.url] } });
    onTestFinished(async () => {
      await agent.engine.suspend();
      await Promise.all([agent, ...served].map((one) => one.stop()));
    });
    return new Supervised(agent, client, new Map(served.map((one) => [one.name, one])));
  }

  stream(text: string, more: object = {}): AsyncGenerator<StreamedEvent, void, void> {
    return this.client.stream({
      message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }], ...more },
    });
  }

  /** Everything that comes of a message. */
  async ask(text: string, more: object = {}): Promise<StreamResponse[]> {
    const events: StreamResponse[] = [];
    for await (const { event } of this.stream(text, more)) events.push(event);
    return events;
  }
}
