import { isDeepStrictEqual } from "node:util";
import type { ArtifactOptions, ArtifactWriter, ExecutionContext, Part } from "@parley/a2a";
import { type ArtifactTarget, isPlainText, joinedText } from "./artifact-target.ts";

/** An artifact of a sub-agent that is one of our task's too. */
export class ForwardedArtifact implements ArtifactTarget {
  readonly #open: () => ArtifactWriter;
  #writer: ArtifactWriter | undefined;
  #isClosed = false;
  /** It was sent whole and closed, as one piece. */
  #isComplete = false;
  /** What our task has of it, neighbouring texts joined. */
  #parts: Part[];
  #length: number;

  /** Goes on with what the task already has of it. */
  constructor(context: ExecutionContext, head: ArtifactOptions & { readonly artifactId: string }) {
    this.#open = () => context.artifact(head);
    const known = context.task.artifacts?.find(({ artifactId }) => artifactId === head.artifactId);
    this.#parts = [...(known?.parts ?? [])];
    this.#length = lengthOf(this.#parts);
  }

  get length(): number {
    return this.#length;
  }

  get text(): string {
    return this.#parts.map(({ text = "" }) => text).join("");
  }

  get parts(): readonly Part[] {
    return this.#parts;
  }

  /** Sends what is whole in one piece as one piece. */
  async complete(parts: readonly Part[]): Promise<void> {
    this.#parts = joinedText(parts);
    this.#length = lengthOf(parts);
    this.#isComplete = true;
    await this.#open().close(parts);
  }

  async append(parts: readonly Part[]): Promise<void> {
    if (this.#isComplete) return this.replace([...this.#parts, ...parts]);
    this.#writer ??= this.#open();
    this.#length += lengthOf(parts);
    for (const part of parts) {
      const last = this.#parts.at(-1);
      if (isPlainText(part) && last && isPlainText(last))
        this.#parts[this.#parts.length - 1] = { text: last.text + part.text };
      else this.#parts.push(part);
      await (isPlainText(part) ? this.#writer.text(part.text) : this.#writer.part(part));
    }
  }

  async replace(parts: readonly Part[]): Promise<void> {
    this.#parts = joinedText(parts);
    this.#length = lengthOf(parts);
    this.#isComplete = false;
    this.#writer ??= this.#open();
    await this.#writer.replace(parts.length > 0 ? parts : [{ text: "" }]);
  }

  async bringTo(parts: readonly Part[]): Promise<void> {
    const wanted = joinedText(parts);
    const settled = Math.max(0, this.#parts.length - 1);
    const last = this.#parts[settled];
    const same = wanted[settled];
    const rest = wanted.slice(settled + 1);
    if (!last) return this.append(wanted);
    if (!same || !isDeepStrictEqual(wanted.slice(0, settled), this.#parts.slice(0, settled)))
      return this.replace(wanted);
    if (isDeepStrictEqual(same, last)) return this.append(rest);
    const grown = isPlainText(same) && isPlainText(last) && same.text.startsWith(last.text);
    if (!grown) return this.replace(wanted);
    await this.append([{ text: same.text.slice(last.text.length) }, ...rest]);
  }

  // A sub-agent may go on with an artifact that it has closed, and we may not.
  async close(): Promise<void> {
    this.#isClosed = true;
  }

  /** Marks its end, if the sub-agent has: nothing follows. The mark is an empty text, so nothing but text can have it. */
  async finish(): Promise<void> {
    const endsInText = this.#parts.at(-1)?.text !== undefined;
    if (!this.#isClosed || this.#isComplete || !endsInText) return;
    this.#writer ??= this.#open();
    await this.#writer.close();
  }
}

function lengthOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { text = "" }) => sum + text.length, 0);
}
