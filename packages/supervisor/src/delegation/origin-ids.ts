import { memberIn, provenance, type Task } from "@parley/a2a";

/** Who has which artifact id in our task: a sub-agent's id is kept unless another has it. */
export class OriginIds {
  readonly #owners = new Map<string, string>();
  readonly #ours: string;

  /** With what the task already has; ids that begin with the task's are our own, also before we use them. */
  constructor({ id, artifacts = [] }: Pick<Task, "id" | "artifacts">) {
    this.#ours = `${id}-`;
    for (const { artifactId, metadata } of artifacts) {
      this.#owners.set(artifactId, memberIn(metadata, provenance).value?.callId ?? "");
    }
  }

  /** The id in our task of a call's artifact: always the same one. */
  idFor(callId: string, artifactId: string): string {
    let id = artifactId;
    while (!this.#isFor(callId, id)) id = `${callId}-${id}`;
    this.#owners.set(id, callId);
    return id;
  }

  #isFor(callId: string, id: string): boolean {
    return !id.startsWith(this.#ours) && (this.#owners.get(id) ?? callId) === callId;
  }
}
