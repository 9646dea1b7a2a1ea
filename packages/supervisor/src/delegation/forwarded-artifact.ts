import { isDeepStrictEqual } from "node:util";
import type { ArtifactOptions, ArtifactWriter, ExecutionContext, Part } from "@parley/a2a";

/** Where the content of a sub-agent's artifact goes; each call resolves when there is room for more. */
export interface ArtifactTarget {
  readonly text: string;
  /** Of the text, without joining it. */
  readonly length: number;
  append(parts: readonly Part[]): Promise<void>;
  replace(parts: readonly Part[]): Promise<void>;
  /** Changes it to these parts, by appending where that is enough, so that a reader sees no flicker. */
  bringTo(parts: readonly Part[]): Promise<void>;
  close(): Promise<void>;
}

export function isPlainText(part: Part): part is { readonly text: string } {
  return part.text !== undefined && Object.keys(part).length === 1;
}

/** Joins neighbouring texts. */
function joinTexts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last && isPlainText(last) && isPlainText(part))
      joined[joined.length - 1] = { text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

/** A sub-agent's artifact as an artifact of our own task. */
export class ForwardedArtifact implements ArtifactTarget {
  readonly #open: () => ArtifactWriter;
  #writer: ArtifactWriter | undefined;
  #isClosed = false;
  #isComplete = false;
  /** What our task has of it, neighbouring texts joined. */
  #parts: Part[];
  #length: number;

  /** Continues what the task already has of it. */
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

  /** Sends it whole and closed, in one piece. */
  async complete(parts: readonly Part[]): Promise<void> {
    this.#parts = joinTexts(parts);
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
    this.#parts = joinTexts(parts);
    this.#length = lengthOf(parts);
    this.#isComplete = false;
    this.#writer ??= this.#open();
    await this.#writer.replace(parts.length > 0 ? parts : [{ text: "" }]);
  }

  async bringTo(parts: readonly Part[]): Promise<void> {
    const wanted = joinTexts(parts);
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

  // A sub-agent may append to an artifact that it has closed; we may not.
  async close(): Promise<void> {
    this.#isClosed = true;
  }

  /** Closes it if the sub-agent has; the mark is an empty text, so only text can have it. */
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
