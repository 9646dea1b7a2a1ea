/**
 * Remembers which artifacts of a task exist, and so decides for each piece whether it creates (append false)
 * or extends (append true). Every path asks it; none decides by itself.
 */
export class ArtifactLedger {
  readonly #known = new Set<string>();

  /** The artifacts seen so far. */
  get size(): number {
    return this.#known.size;
  }

  /** Whether the next piece of this artifact extends it: never for its first. */
  appends(artifactId: string): boolean {
    return this.#known.has(artifactId);
  }

  /** Records that a piece of it was sent. */
  record(artifactId: string): void {
    this.#known.add(artifactId);
  }
}
