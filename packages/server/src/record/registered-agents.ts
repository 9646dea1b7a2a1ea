import type { Credentials } from "@parley/a2a";
import { type AgentRegistry, findingText, type KnownAgent } from "@parley/registry";
import { CommandRefusedError, type Principal } from "@parley/sessions";
import type { AgentChange, Agents } from "../api/api-ports.ts";
import type { NewAgent, RegisteredAgent } from "../api/schemas/agent-schemas.ts";
import type { AgentBook } from "./agent-book.ts";

/** The registry as the API shows it: what is added here is one more agent that the supervisor can delegate to (S4.25). */
export class RegisteredAgents implements Agents {
  readonly #registry: AgentRegistry;
  readonly #book: AgentBook;

  constructor(registry: AgentRegistry, book: AgentBook) {
    this.#registry = registry;
    this.#book = book;
  }

  async list(_: Principal): Promise<readonly RegisteredAgent[]> {
    const known = this.#registry.agents().map((agent) => this.#shown(agent));
    const names = new Set(known.map(({ name }) => name));
    const off = [...this.#book.disabled].filter((name) => !names.has(name));
    return [...known, ...off.map((name) => this.#switchedOff(name))];
  }

  async add(principal: Principal, { url, name, credentials }: NewAgent): Promise<RegisteredAgent> {
    const chosen = name ?? nameFrom(url);
    if ((await this.list(principal)).some((agent) => agent.name === chosen))
      throw new CommandRefusedError("conflict", `There is an agent ${chosen} already: choose another name`);
    await this.#book.add(chosen, url, credentials as Credentials | undefined);
    return this.recheck(principal, chosen);
  }

  async change(
    principal: Principal,
    name: string,
    { enabled, credentials }: AgentChange,
  ): Promise<RegisteredAgent> {
    await this.#find(principal, name);
    if (credentials !== undefined && !this.#book.added.has(name))
      throw new CommandRefusedError(
        "invalid",
        `${name} is not added here: its credentials are in agents.json`,
      );
    await this.#book.change(name, { enabled, credentials: credentials as Credentials | null | undefined });
    return enabled === false ? this.#switchedOff(name) : this.recheck(principal, name);
  }

  async remove(principal: Principal, name: string): Promise<void> {
    await this.#find(principal, name);
    if (!this.#book.added.has(name))
      throw new CommandRefusedError(
        "invalid",
        `${name} is not added here: switch it off, or take it out of its file`,
      );
    await this.#book.remove(name);
  }

  async recheck(principal: Principal, name: string): Promise<RegisteredAgent> {
    const known = await this.#registry.recheck(name);
    return known ? this.#shown(known) : this.#find(principal, name);
  }

  async #find(principal: Principal, name: string): Promise<RegisteredAgent> {
    const agent = (await this.list(principal)).find((one) => one.name === name);
    if (!agent) throw new CommandRefusedError("not_found", `There is no agent ${name}`);
    return agent;
  }

  #switchedOff(name: string): RegisteredAgent {
    const added = this.#book.added.get(name);
    return {
      name,
      url: added?.url ?? "",
      state: "down",
      enabled: false,
      hasCredentials: added?.sealed !== undefined,
    };
  }

  #shown({ name, url, state, since, hosted, card, trouble, findings }: KnownAgent): RegisteredAgent {
    return {
      ...{ name, url, state, since, enabled: this.#book.isEnabled(name) },
      hasCredentials: this.#book.added.get(name)?.sealed !== undefined,
      ...(hosted && { hosted }),
      ...(trouble !== undefined && { trouble }),
      ...(findings.length > 0 && { findings: findings.map(findingText) }),
      ...(card && {
        description: card.description,
        skills: card.skills.map(({ id, name: skill, tags }) => ({ id, name: skill, tags: [...tags] })),
        capabilities: { ...card.capabilities },
      }),
    };
  }
}

function nameFrom(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}${port && `-${port}`}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, "-")
    .slice(0, 64);
}
