import type { Credentials } from "@parley/a2a";
import { type AgentRegistry, AgentsStartingError, type KnownAgent } from "@parley/registry";
import { CommandRefusedError, type Principal } from "@parley/sessions";
import { type Actor, type AuditAction, auditAppend } from "../access/audit-log.ts";
import type { AgentChange, Agents } from "../api/api-ports.ts";
import type { NamedKey } from "../api/command-ids.ts";
import type { NewAgent, RegisteredAgent } from "../api/schemas/agent-schemas.ts";
import type { AgentBook } from "./agent-book.ts";
import { describedBy, negotiatedWith } from "./agent-description.ts";

/** The registry as the API shows it: what is added here is one more agent that the supervisor can delegate to (S4.25). */
export class RegisteredAgents implements Agents {
  readonly #registry: AgentRegistry;
  readonly #book: AgentBook;

  constructor(registry: AgentRegistry, book: AgentBook) {
    this.#registry = registry;
    this.#book = book;
  }

  async list(_: Principal, skill?: string): Promise<readonly RegisteredAgent[]> {
    if (skill !== undefined) return this.#registry.skilledAgents(skill).map((agent) => this.#shown(agent));
    const known = this.#registry.agents().map((agent) => this.#shown(agent));
    const names = new Set(known.map(({ name }) => name));
    const off = [...this.#book.disabled].filter((name) => !names.has(name));
    return [...known, ...off.map((name) => this.#switchedOff(name))];
  }

  async get(principal: Principal, name: string): Promise<RegisteredAgent> {
    const agent = (await this.list(principal)).find((one) => one.name === name);
    return agent ?? this.#missing(name);
  }

  add(
    by: Actor,
    { url, name = nameFrom(url), credentials }: NewAgent,
    key?: NamedKey,
  ): Promise<RegisteredAgent> {
    const allowed = () => {
      if (this.#has(name))
        throw new CommandRefusedError("conflict", `There is an agent ${name} already: choose another name`);
    };
    const added = { url, credentials: credentials as Credentials | undefined };
    return this.#once(key, {
      carryOut: () => this.#book.add(name, added, { key, allowed, noted: noted(by, "agent.added", name) }),
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
      this.#must(name);
      if (credentials === undefined || this.#book.added.has(name)) return;
      const why = `${name} is not added here: its credentials are in agents.json`;
      throw new CommandRefusedError("invalid", why);
    };
    const changed = { enabled, credentials: credentials as Credentials | null | undefined };
    return this.#once(key, {
      carryOut: () =>
        this.#book.change(name, changed, { key, allowed, noted: noted(by, "agent.changed", name) }),
      answer: async () => (enabled === false ? this.#switchedOff(name) : this.recheck(by, name)),
    });
  }

  async remove(by: Actor, name: string, key?: NamedKey): Promise<void> {
    const allowed = () => {
      this.#must(name);
      if (this.#book.added.has(name)) return;
      const why = `${name} is not added here: switch it off, or take it out of its file`;
      throw new CommandRefusedError("invalid", why);
    };
    await this.#once(key, {
      carryOut: () => this.#book.remove(name, { key, allowed, noted: noted(by, "agent.removed", name) }),
      answer: async () => null,
    });
  }

  restore(by: Actor, name: string, key?: NamedKey): Promise<RegisteredAgent> {
    const allowed = () => {
      if (this.#has(name)) throw new CommandRefusedError("conflict", `There is an agent ${name} already`);
      if (!this.#book.removed.has(name))
        throw new CommandRefusedError("not_found", `No agent ${name} was removed here: add it by its URL`);
    };
    return this.#once(key, {
      carryOut: () => this.#book.restore(name, { key, allowed, noted: noted(by, "agent.restored", name) }),
      answer: () => this.recheck(by, name),
    });
  }

  async check(_: Principal, { url, name = nameFrom(url), credentials }: NewAgent): Promise<RegisteredAgent> {
    const given = credentials as Credentials | undefined;
    const { standing, client } = await this.#registry.look({ url, ...(given && { credentials: given }) });
    return {
      ...{ name, url, enabled: true, hasCredentials: given !== undefined, ...describedBy(standing) },
      ...(client && { negotiated: negotiatedWith(client) }),
    };
  }

  async recheck(principal: Principal, name: string): Promise<RegisteredAgent> {
    const known = await this.#registry.recheck(name);
    return known ? this.#shown(known) : this.get(principal, name);
  }

  /** A command that was carried out, and whose answer a crash came before, is answered anew. */
  async #once<Answer>(
    key: NamedKey | undefined,
    { carryOut, answer }: { carryOut: () => Promise<void>; answer: () => Promise<Answer> },
  ): Promise<Answer> {
    const before = key && (await this.#book.answerTo(key));
    if (before !== undefined) return before as Answer;
    await carryOut();
    const told = await answer();
    if (key) await this.#book.answered(key, told);
    return told;
  }

  #has(name: string): boolean {
    return (
      this.#registry.agent(name) !== undefined || this.#book.disabled.has(name) || this.#book.added.has(name)
    );
  }

  #must(name: string): void {
    if (!this.#has(name)) this.#missing(name);
  }

  /** While the agents start, nobody knows that yet. */
  #missing(name: string): never {
    if (!this.#registry.isStarted) throw new AgentsStartingError();
    throw new CommandRefusedError("not_found", `There is no agent ${name}`);
  }

  #switchedOff(name: string): RegisteredAgent {
    const added = this.#book.added.get(name);
    return {
      name,
      url: added?.url ?? "",
      state: "down",
      enabled: false,
      ...(added && { added: true }),
      hasCredentials: added?.sealed !== undefined,
    };
  }

  #shown({ name, url, hosted, ...standing }: KnownAgent): RegisteredAgent {
    const added = this.#book.added.get(name);
    return {
      ...{ name, url, enabled: this.#book.isEnabled(name), ...describedBy(standing) },
      hasCredentials: added?.sealed !== undefined,
      ...(added && { added: true }),
      ...(hosted && { hosted }),
      ...(standing.state === "up" && { negotiated: negotiatedWith(this.#registry.client(name)) }),
    };
  }
}

function noted(by: Actor, action: AuditAction, name: string) {
  return auditAppend(by, { action, target: name });
}

function nameFrom(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}${port && `-${port}`}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, "-")
    .slice(0, 64);
}
