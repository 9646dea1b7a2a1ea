import { toolName, uniqueName } from "./agent-name.ts";
import type { AgentWatch } from "./agent-watch.ts";

interface Held {
  readonly name: string;
  /** Made from the URL, until there is a better one. */
  readonly provisional: boolean;
}

/**
 * Gives each agent a name that no other has and that it keeps: the one it is listed under, else its card's. Who comes
 * later gets -2. A card that is renamed changes nothing, because tasks are recorded under the name.
 */
export class AgentNames {
  readonly #reserved: readonly string[];
  readonly #held = new Map<AgentWatch, Held>();
  readonly #holders = new Map<string, AgentWatch>();

  constructor(reserved: readonly string[] = []) {
    this.#reserved = reserved;
  }

  /** The name as listed, or a provisional one. */
  add(watch: AgentWatch): void {
    const { name, url } = watch.listing;
    const host = URL.parse(url)?.host ?? "";
    this.#hold(watch, toolName(name ?? "") || toolName(`agent-${host}`), name === undefined);
  }

  /** Replaces a provisional name by the card's, once there is a card with a usable one. */
  nameByCard(watch: AgentWatch): void {
    const name = toolName(watch.standing.card?.name ?? "");
    if (name === "" || !this.#held.get(watch)?.provisional) return;
    this.remove(watch);
    this.#hold(watch, name, false);
  }

  remove(watch: AgentWatch): void {
    this.#holders.delete(this.nameOf(watch));
    this.#held.delete(watch);
  }

  nameOf(watch: AgentWatch): string {
    return this.#held.get(watch)?.name ?? "";
  }

  holder(name: string): AgentWatch | undefined {
    return this.#holders.get(name);
  }

  all(): string[] {
    return [...this.#holders.keys()].sort();
  }

  #hold(watch: AgentWatch, wanted: string, provisional: boolean): void {
    const name = uniqueName(wanted, new Set([...this.#reserved, ...this.#holders.keys()]));
    this.#held.set(watch, { name, provisional });
    this.#holders.set(name, watch);
  }
}
