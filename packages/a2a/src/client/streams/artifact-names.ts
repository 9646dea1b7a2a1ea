import type { Artifact } from "../../protocol/model.ts";

/** Gives artifacts that a peer sent without an id one that stays: from their name, or their place in the task. */
export class ArtifactNames {
  readonly #repaired: (artifactId: string) => void;
  readonly #seen = new Set<string>();
  #lastUnnamed: string | undefined;

  /** `repaired` is called once for every generated id. */
  constructor(repaired: (artifactId: string) => void) {
    this.#repaired = repaired;
  }

  inTask(artifacts: readonly Artifact[]): readonly Artifact[] {
    const used = new Set(artifacts.map(({ artifactId }) => artifactId));
    return artifacts.map((artifact, place) => {
      if (artifact.artifactId !== "") return artifact;
      const byName = artifact.name && this.#madeUp(artifact.name);
      const artifactId = byName && !used.has(byName) ? byName : this.#madeUp(String(place));
      used.add(artifactId);
      return this.#named(artifact, artifactId);
    });
  }

  /** The artifact of a piece; `count` is how many the task has had so far. */
  inPiece(artifact: Artifact, append: boolean, count: number): Artifact {
    if (artifact.artifactId !== "") return artifact;
    if (artifact.name) return this.#named(artifact, this.#madeUp(artifact.name));
    const goesOn = append ? this.#lastUnnamed : undefined;
    return this.#named(artifact, goesOn ?? this.#madeUp(String(count)));
  }

  #madeUp(from: string): string {
    return `repaired-${from}`;
  }

  #named(artifact: Artifact, artifactId: string): Artifact {
    if (!artifact.name) this.#lastUnnamed = artifactId;
    if (!this.#seen.has(artifactId)) {
      this.#seen.add(artifactId);
      this.#repaired(artifactId);
    }
    return { ...artifact, artifactId };
  }
}
