/** Beyond so many artifacts a task is worth a warning: something makes a new one for every piece. */
export const MANY_ARTIFACTS = 100;

/**
 * Remembers which artifacts of a task exist, and so decides for each piece whether it creates (append false)
 * or extends (append true). Every path asks it; none decides by itself.
 */
export class ArtifactLedger {
  readonly #open = new Set<string>();
  readonly #closed = new Set<string>();

  /** The artifacts seen so far. */
  get size(): number {
    return this.#open.size + this.#closed.size;
  }

  /** Whether the next piece of this artifact extends it: never for its first. */
  appends(artifactId: string): boolean {
    return this.#open.has(artifactId) || this.#closed.has(artifactId);
  }

  isClosed(artifactId: string): boolean {
    return this.#closed.has(artifactId);
  }

  /** Records a piece that was sent. */
  record(artifactId: string, { last }: { last: boolean }): void {
    this.#open.delete(artifactId);
    this.#closed.delete(artifactId);
    (last ? this.#closed : this.#open).add(artifactId);
  }
}
