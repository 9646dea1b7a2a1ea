import { type Artifact, memberIn, provenance } from "@parley/a2a";

/** Who has which artifact id in our task: a sub-agent's id is kept unless another has it. */
export class OriginIds {
  readonly #owners = new Map<string, string>();

  /** With what the task already has. */
  constructor(artifacts: readonly Artifact[] = []) {
    for (const { artifactId, metadata } of artifacts) {
      this.#owners.set(artifactId, memberIn(metadata, provenance).value?.callId ?? "");
    }
  }

  /** The id in our task of a call's artifact: always the same one. */
  idFor(callId: string, artifactId: string): string {
    const owner = this.#owners.get(artifactId);
    if (owner === undefined || owner === callId) {
      this.#owners.set(artifactId, callId);
      return artifactId;
    }
    const prefixed = `${callId}-${artifactId}`;
    this.#owners.set(prefixed, callId);
    return prefixed;
  }
}
