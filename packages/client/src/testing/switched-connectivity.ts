import type { Connectivity } from "../ports/connectivity.ts";

/** A network that a test switches on and off. */
export class SwitchedConnectivity implements Connectivity {
  isOnline = true;
  readonly #listeners = new Set<(isOnline: boolean) => void>();

  subscribe(listener: (isOnline: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  turn(isOnline: boolean): void {
    this.isOnline = isOnline;
    for (const listener of [...this.#listeners]) listener(isOnline);
  }
}
