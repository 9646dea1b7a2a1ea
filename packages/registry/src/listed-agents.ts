import { isDeepStrictEqual } from "node:util";
import type { AgentListing, AgentSource } from "./agent-listing.ts";
import { ChangeListeners } from "./change-listeners.ts";

/** A source that its owner fills at run time, as a host does with the agents that it runs. */
export class ListedAgents implements AgentSource {
  readonly #changes = new ChangeListeners();
  #listings: readonly AgentListing[];

  constructor(listings: readonly AgentListing[] = []) {
    this.#listings = [...listings];
  }

  listings(): readonly AgentListing[] {
    return this.#listings;
  }

  /** These and no others from now on. */
  set(listings: readonly AgentListing[]): void {
    if (isDeepStrictEqual(listings, this.#listings)) return;
    this.#listings = [...listings];
    this.#changes.tell();
  }

  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }
}
