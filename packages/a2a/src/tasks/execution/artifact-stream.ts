import { randomUUID } from "node:crypto";
import type { Part } from "../../protocol/model.ts";
import type { ArtifactOptions, ArtifactWriter } from "../executor.ts";
import type { ArtifactHead } from "./event-batch.ts";
import type { PieceKind, TaskWriter } from "./task-writer.ts";

/** Writes one artifact for an executor; the pieces always form a legal sequence. */
export class ArtifactStream implements ArtifactWriter {
  readonly artifactId: string;
  readonly #writer: TaskWriter;
  readonly #head: ArtifactHead;
  readonly #opening: string;
  /** The first half of a character whose second is to come: half of one cannot be written in UTF-8. */
  #half = "";
  #closed = false;

  constructor(writer: TaskWriter, { artifactId = randomUUID(), ...rest }: ArtifactOptions) {
    this.#writer = writer;
    this.artifactId = artifactId;
    this.#head = { artifactId, ...rest };
    this.#opening = writer.opening(this.#head);
  }

  text(piece: string): Promise<void> {
    if (typeof piece !== "string") throw new TypeError(`A piece of text is a string, not ${piece}`);
    return this.#write(piece, false);
  }

  part(part: Part): Promise<void> {
    return this.#send([part], { last: false });
  }

  replace(parts: readonly Part[], { last = false }: { readonly last?: boolean } = {}): Promise<void> {
    const sent = this.#send(parts, { last, replace: true });
    this.#closed = last;
    return sent;
  }

  /** Closing twice is no error. Without parts an empty last piece marks the end. */
  async close(parts?: readonly Part[]): Promise<void> {
    if (this.#closed) return;
    const sent = parts ? this.#send(parts, { last: true }) : this.#write("", true);
    this.#closed = true;
    await sent;
  }

  #write(text: string, last: boolean): Promise<void> {
    this.#checkOpen();
    const known = this.#half + text;
    const whole = last || !endsInHalf(known) ? known : known.slice(0, -1);
    this.#half = known.slice(whole.length);
    if (whole !== "" || this.#half === "") this.#writer.text(this.#head, this.#opening, whole, last);
    return this.#writer.room();
  }

  #send(parts: readonly Part[], kind: PieceKind): Promise<void> {
    this.#checkOpen();
    // No second half can follow: it is written as it is.
    if (this.#half !== "") this.#writer.text(this.#head, this.#opening, this.#half, false);
    this.#half = "";
    this.#writer.piece({ ...this.#head, parts }, kind);
    return this.#writer.room();
  }

  #checkOpen(): void {
    if (this.#closed) throw new Error(`Artifact ${this.artifactId} is closed`);
  }
}

function endsInHalf(text: string): boolean {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
}
