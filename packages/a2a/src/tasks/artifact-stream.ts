import { randomUUID } from "node:crypto";
import type { Artifact, Part } from "../protocol/model.ts";
import type { ArtifactOptions, ArtifactWriter } from "./executor.ts";
import type { TaskWriter } from "./task-writer.ts";

/** An executor's hold on one artifact: whatever it does, the pieces form a legal sequence. */
export class ArtifactStream implements ArtifactWriter {
  readonly artifactId: string;
  readonly #writer: TaskWriter;
  readonly #head: Omit<Artifact, "parts">;
  #closed = false;

  constructor(writer: TaskWriter, { artifactId = randomUUID(), ...rest }: ArtifactOptions) {
    this.#writer = writer;
    this.artifactId = artifactId;
    this.#head = { artifactId, ...rest };
  }

  text(piece: string): Promise<void> {
    return this.#send([{ text: piece }], { last: false });
  }

  part(part: Part): Promise<void> {
    return this.#send([part], { last: false });
  }

  replace(parts: readonly Part[]): Promise<void> {
    return this.#send(parts, { last: false, replace: true });
  }

  /** Closing twice is no error. Without parts an empty last piece marks the end. */
  async close(parts: readonly Part[] = [{ text: "" }]): Promise<void> {
    if (this.#closed) return;
    const sent = this.#send(parts, { last: true });
    this.#closed = true;
    await sent;
  }

  #send(parts: readonly Part[], kind: { last: boolean; replace?: boolean }): Promise<void> {
    if (this.#closed) throw new Error(`Artifact ${this.artifactId} is closed`);
    this.#writer.piece({ ...this.#head, parts }, kind);
    return this.#writer.room();
  }
}
