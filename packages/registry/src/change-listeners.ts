/** Those who want to hear that something has changed. */
export class ChangeListeners {
  readonly #listeners = new Set<() => void>();

  /** Returns what ends the listening; a function that is added twice is heard twice and ends one by one. */
  add(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
