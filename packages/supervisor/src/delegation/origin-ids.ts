import { memberIn, provenance, type Task } from "@parley/a2a";

/** Owners of artifact ids in our task: a sub-agent's id is kept unless another call has it. */
export class OriginIds {
  readonly #owners = new Map<string, string>();
  readonly #ours: string;

  /** Ids that begin with the task's id are our own. */
  constructor({ id, artifacts = [] }: Pick<Task, "id" | "artifacts">) {
    this.#ours = `${id}-`;
    for (const { artifactId, metadata } of artifacts) {
      this.#owners.set(artifactId, memberIn(metadata, provenance).value?.callId ?? "");
    }
  }

  /** The id of a call's artifact in our task, always the same. */
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
