import type { AgentWatch } from "./agent-watch.ts";

const MAX_LENGTH = 64;

/** The agent that people talk to where they choose none. */
export const SUPERVISOR = "supervisor";

/** What the name of a listed agent must match, so that it can name a model's tool as it stands. */
export const agentNamePattern = /^[a-z0-9_-]{1,64}$/;

/** A text made into the name of a model's tool: "Café Finder (beta)" is `cafe-finder-beta`; it may be empty. */
export function toolName(text: string): string {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const name = plain.replaceAll(/[^a-z0-9_]+/g, "-").replaceAll(/-{2,}/g, "-");
  return withoutOuterHyphens(withoutOuterHyphens(name).slice(0, MAX_LENGTH));
}

/** The name itself, or with -2, -3 and so on behind it when it is taken. */
export function uniqueName(name: string, taken: ReadonlySet<string>): string {
  let unique = name;
  for (let count = 2; taken.has(unique); count++) {
    const suffix = `-${count}`;
    unique = name.slice(0, MAX_LENGTH - suffix.length) + suffix;
  }
  return unique;
}

function withoutOuterHyphens(name: string): string {
  return name.replaceAll(/^-+|(?<!-)-+$/g, "");
}

/**
 * Gives each agent a unique name that it keeps: the one it is listed under, else its card's. A card that is renamed
 * changes nothing, because tasks are recorded under the name.
 */
export class AgentNames {
  readonly #reserved: readonly string[];
  readonly #names = new Map<AgentWatch, { readonly name: string; readonly isProvisional: boolean }>();
  readonly #watches = new Map<string, AgentWatch>();

  constructor(reserved: readonly string[] = []) {
    this.#reserved = reserved;
  }

  /** Gives the listed name, or a provisional one made from the URL. */
  add(watch: AgentWatch): void {
    const { name, url } = watch.listing;
    const host = URL.parse(url)?.host ?? "";
    this.#give(watch, toolName(name ?? "") || toolName(`agent-${host}`), name === undefined);
  }

  /** Replaces a provisional name by the card's, once there is a card with a usable one. */
  nameByCard(watch: AgentWatch): void {
    const name = toolName(watch.standing.card?.name ?? "");
    if (name === "" || !this.#names.get(watch)?.isProvisional) return;
    this.remove(watch);
    this.#give(watch, name, false);
  }

  remove(watch: AgentWatch): void {
    this.#watches.delete(this.nameOf(watch));
    this.#names.delete(watch);
  }

  nameOf(watch: AgentWatch): string {
    return this.#names.get(watch)?.name ?? "";
  }

  watch(name: string): AgentWatch | undefined {
    return this.#watches.get(name);
  }

  all(): string[] {
    return [...this.#watches.keys()].sort();
  }

  #give(watch: AgentWatch, wanted: string, isProvisional: boolean): void {
    const name = uniqueName(wanted, new Set([...this.#reserved, ...this.#watches.keys()]));
    this.#names.set(watch, { name, isProvisional });
    this.#watches.set(name, watch);
  }
}
