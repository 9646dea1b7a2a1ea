/** Beyond so many artifacts a task is worth a warning: something makes a new one for every piece. */
export const MANY_ARTIFACTS = 100;

/**
 * Remembers which artifacts of a task exist, and so decides for each piece whether it creates (append false)
 * or extends (append true). Every path asks it; none decides by itself.
 */
export class ArtifactLedger {
  /** Whether the newest piece of each was its last. */
  readonly #last = new Map<string, boolean>();

  /** The artifacts seen so far. */
  get size(): number {
    return this.#last.size;
  }

  /** Whether the next piece of this artifact extends it: never for its first. */
  appends(artifactId: string): boolean {
    return this.#last.has(artifactId);
  }

  isClosed(artifactId: string): boolean {
    return this.#last.get(artifactId) === true;
  }

  /** Records a piece that was sent. */
  record(artifactId: string, { last }: { last: boolean }): void {
    this.#last.set(artifactId, last);
  }
}
