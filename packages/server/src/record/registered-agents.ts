import { randomUUID } from "node:crypto";
import { type A2AClient, type AgentCard, type Credentials, RUN_EXTENSION } from "@parley/a2a";
import type { NamedKey, Runs } from "@parley/adapters";
import { type Actor, type AuditActionName, auditAppend } from "@parley/identity";
import {
  type AgentRegistry,
  type AgentStanding,
  AgentsStartingError,
  findingText,
  type KnownAgent,
  SUPERVISOR,
  UnknownAgentError,
} from "@parley/registry";
import { CommandRefusedError, type Principal, type RunRequest } from "@parley/sessions";
import type { AgentChange } from "../api/api-ports.ts";
import type { NewAgent, RegisteredAgent } from "../api/schemas/agent-schemas.ts";
import { currentTraceparent } from "../telemetry/traced-requests.ts";
import type { AgentStore } from "./agent-store.ts";

/**
 * The agent registry of the API (S4.25): credentials go in and never come out. Commands with an idempotency key have one
 * effect and one answer, and their actor is audited with the effect.
 */
export class RegisteredAgents {
  readonly #registry: AgentRegistry;
  readonly #store: AgentStore;

  constructor(registry: AgentRegistry, store: AgentStore) {
    this.#registry = registry;
    this.#store = store;
  }

  /** All agents, or those that are up and have this skill, best first. */
  async list(_: Principal, skill?: string): Promise<readonly RegisteredAgent[]> {
    if (skill !== undefined) return this.#registry.skilledAgents(skill).map((agent) => this.#view(agent));
    const known = this.#registry.agents().map((agent) => this.#view(agent));
    const names = new Set(known.map(({ name }) => name));
    const off = [...this.#store.disabled].filter((name) => !names.has(name));
    return [...known, ...off.map((name) => this.#disabledAgent(name))];
  }

  async get(principal: Principal, name: string): Promise<RegisteredAgent> {
    const agent = (await this.list(principal)).find((one) => one.name === name);
    return agent ?? this.#refuseUnknown(name);
  }

  add(
    by: Actor,
    { url, name = nameFrom(url), credentials }: NewAgent,
    key?: NamedKey,
  ): Promise<RegisteredAgent> {
    const allowed = () => {
      if (this.#has(name))
        throw new CommandRefusedError("conflict", `There already is an agent ${name}; choose another name`);
    };
    const added = { url, credentials: credentials as Credentials | undefined };
    return this.#once(key, {
      carryOut: () => this.#store.add(name, added, { key, allowed, noted: noted(by, "agent.added", name) }),
      answer: () => this.recheck(by, name),
    });
  }

  change(
    by: Actor,
    name: string,
    { enabled, credentials }: AgentChange,
    key?: NamedKey,
  ): Promise<RegisteredAgent> {
    const allowed = () => {
      this.#requireAgent(name);
      if (credentials === undefined || this.#store.added.has(name)) return;
      const why = `${name} was not added by the API; its credentials are in agents.json`;
      throw new CommandRefusedError("invalid", why);
    };
    const changed = { enabled, credentials: credentials as Credentials | null | undefined };
    return this.#once(key, {
      carryOut: () =>
        this.#store.change(name, changed, { key, allowed, noted: noted(by, "agent.changed", name) }),
      answer: async () => (enabled === false ? this.#disabledAgent(name) : this.recheck(by, name)),
    });
  }

  async remove(by: Actor, name: string, key?: NamedKey): Promise<void> {
    const allowed = () => {
      this.#requireAgent(name);
      if (this.#store.added.has(name)) return;
      const why = `${name} was not added by the API; disable it, or remove it from its file`;
      throw new CommandRefusedError("invalid", why);
    };
    await this.#once(key, {
      carryOut: () => this.#store.remove(name, { key, allowed, noted: noted(by, "agent.removed", name) }),
      answer: async () => null,
    });
  }

  /** Undoes a removal, with the credentials as they were. */
  restore(by: Actor, name: string, key?: NamedKey): Promise<RegisteredAgent> {
    const allowed = () => {
      if (this.#has(name)) throw new CommandRefusedError("conflict", `There already is an agent ${name}`);
      if (!this.#store.removed.has(name))
        throw new CommandRefusedError("not_found", `No agent ${name} was removed; add it by its URL`);
    };
    return this.#once(key, {
      carryOut: () => this.#store.restore(name, { key, allowed, noted: noted(by, "agent.restored", name) }),
      answer: () => this.recheck(by, name),
    });
  }

  /** What adding the agent would find; nothing is stored. */
  async check(_: Principal, { url, name = nameFrom(url), credentials }: NewAgent): Promise<RegisteredAgent> {
    const given = credentials as Credentials | undefined;
    const { standing, client } = await this.#registry.probe({ url, ...(given && { credentials: given }) });
    const own = { name, url, enabled: true, hasCredentials: given !== undefined };
    return { ...own, ...describedBy(standing), negotiated: client && negotiatedWith(client) };
  }

  async recheck(principal: Principal, name: string): Promise<RegisteredAgent> {
    const known = await this.#registry.recheck(name);
    return known ? this.#view(known) : this.get(principal, name);
  }

  /** Answers a repeated command from the store; after a crash before the answer, computes it again. */
  async #once<Answer>(
    key: NamedKey | undefined,
    { carryOut, answer }: { carryOut: () => Promise<void>; answer: () => Promise<Answer> },
  ): Promise<Answer> {
    const before = key && (await this.#store.answerTo(key));
    if (before !== undefined) return before as Answer;
    await carryOut();
    const result = await answer();
    if (key) await this.#store.answered(key, result);
    return result;
  }

  #has(name: string): boolean {
    return (
      this.#registry.agent(name) !== undefined ||
      this.#store.disabled.has(name) ||
      this.#store.added.has(name)
    );
  }

  #requireAgent(name: string): void {
    if (!this.#has(name)) this.#refuseUnknown(name);
  }

  /** While the agents start, it is not known which exist. */
  #refuseUnknown(name: string): never {
    if (!this.#registry.isStarted) throw new AgentsStartingError();
    throw new CommandRefusedError("not_found", `There is no agent ${name}`);
  }

  #disabledAgent(name: string): RegisteredAgent {
    const added = this.#store.added.get(name);
    const hasCredentials = added?.sealed !== undefined;
    return {
      name,
      url: added?.url ?? "",
      state: "down",
      enabled: false,
      added: added ? true : undefined,
      hasCredentials,
    };
  }

  #view({ name, url, hosted, ...standing }: KnownAgent): RegisteredAgent {
    const added = this.#store.added.get(name);
    return {
      ...{ name, url, enabled: this.#store.isEnabled(name), ...describedBy(standing) },
      ...{
        hasCredentials: added?.sealed !== undefined,
        added: added ? true : undefined,
        hosted: hosted || undefined,
      },
      ...(standing.state === "up" && { negotiated: negotiatedWith(this.#registry.client(name)) }),
    };
  }
}

function noted(by: Actor, action: AuditActionName, name: string) {
  return auditAppend(by, { action, target: name });
}

function nameFrom(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}${port && `-${port}`}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, "-")
    .slice(0, 64);
}

type Schemes = NonNullable<RegisteredAgent["schemes"]>;
type Described =
  | "state"
  | "since"
  | "trouble"
  | "findings"
  | "description"
  | "skills"
  | "capabilities"
  | "schemes";

/** An agent's state and card, as the API shows them. */
function describedBy({
  state,
  since,
  card,
  trouble,
  findings,
}: AgentStanding): Pick<RegisteredAgent, Described> {
  return {
    state,
    since,
    trouble,
    ...(findings.length > 0 && { findings: findings.map(findingText) }),
    ...(card && {
      description: card.description,
      skills: card.skills.map(({ id, name, description, tags, examples }) => ({
        ...{ id, name, description, tags: [...tags] },
        ...(examples && { examples: [...examples] }),
      })),
      capabilities: { ...card.capabilities },
    }),
    schemes: card?.securitySchemes && schemesOf(card.securitySchemes),
  };
}

/** The protocol features that are used with an agent. */
function negotiatedWith(client: A2AClient): NonNullable<RegisteredAgent["negotiated"]> {
  const { endpoint, card, honoursIdempotencyKeys } = client;
  const { streaming, extensions = [] } = card.capabilities;
  return {
    ...{ binding: endpoint.binding, dialect: endpoint.dialect, url: endpoint.url },
    delivery: streaming ? "stream" : "poll",
    runExtension: extensions.some(({ uri }) => uri === RUN_EXTENSION),
    idempotencyKeys: honoursIdempotencyKeys,
  };
}

function schemesOf(schemes: NonNullable<AgentCard["securitySchemes"]>): Schemes {
  return Object.entries(schemes).map(([name, scheme]) => ({ name, kind: kindOf(scheme) }));
}

function kindOf(scheme: NonNullable<AgentCard["securitySchemes"]>[string]): Schemes[number]["kind"] {
  if ("apiKeySecurityScheme" in scheme) return "apiKey";
  if ("mtlsSecurityScheme" in scheme) return "other";
  if (!("httpAuthSecurityScheme" in scheme)) return "bearer";
  return scheme.httpAuthSecurityScheme.scheme.toLowerCase() === "basic" ? "basic" : "bearer";
}

/** Chooses the agent of a message: by name, by skill, else the session's agent, else the supervisor (S4.26). */
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
