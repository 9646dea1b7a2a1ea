import { isDeepStrictEqual } from "node:util";
import type { CardTrust, Credentials } from "@parley/a2a";

/** Where an agent is listed, and how to authenticate there. */
export interface AgentListing {
  /** Without it, the card names the agent. */
  readonly name?: string;
  /** Its base URL, or its card's. */
  readonly url: string;
  /** By the names that its card gives its security schemes. */
  readonly credentials?: Credentials;
  /** Takes only a card that one of these keys has signed. */
  readonly trust?: CardTrust;
  /** It runs in this process. */
  readonly hosted?: true;
  /** The operator named it: its origin may be reached whatever the policy says, as that of a hosted agent may. */
  readonly vouched?: true;
}

/** Which agents there should be; `onChange` returns a function that unsubscribes. */
export interface AgentSource {
  listings(): readonly AgentListing[];
  onChange(listener: () => void): () => void;
}

/** Change listeners; one that is added twice is called twice and removed one by one. */
export class ChangeListeners {
  readonly #listeners = new Set<() => void>();

  add(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

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

  set(listings: readonly AgentListing[]): void {
    if (isDeepStrictEqual(listings, this.#listings)) return;
    this.#listings = [...listings];
    this.#changes.notify();
  }

  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }
}
