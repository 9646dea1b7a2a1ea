import type { Part, Provenance } from "@parley/a2a";
import type { Answer } from "../answer.ts";
import { type ArtifactTarget, isPlainText } from "./forwarded-artifact.ts";

/** The answer itself, for the text of the one delegation that is the answer; other parts go to an artifact. */
export class AnswerTarget implements ArtifactTarget {
  readonly #answer: Answer;
  readonly #before: string;
  readonly #origin: Provenance;
  readonly #rest: () => ArtifactTarget;
  #hasRest = false;

  /** All after `before` is this delegation's. */
  constructor(answer: Answer, before: string, origin: Provenance, rest: () => ArtifactTarget) {
    this.#answer = answer;
    this.#before = before;
    this.#origin = origin;
    this.#rest = rest;
  }

  get text(): string {
    const { text } = this.#answer;
    return text.startsWith(this.#before) ? text.slice(this.#before.length) : "";
  }

  get length(): number {
    return Math.max(0, this.#answer.text.length - this.#before.length);
  }

  async append(parts: readonly Part[]): Promise<void> {
    for (const part of parts) {
      if (isPlainText(part)) await this.#answer.say(part.text, this.#origin);
      else await this.#others().append([part]);
    }
  }

  async replace(parts: readonly Part[]): Promise<void> {
    await this.#answer.keep(this.#before);
    await this.append(parts.filter(isPlainText));
    const others = parts.filter((part) => !isPlainText(part));
    if (others.length > 0 || this.#hasRest) await this.#others().replace(others);
  }

  async bringTo(parts: readonly Part[]): Promise<void> {
    const text = parts.map((part) => (isPlainText(part) ? part.text : "")).join("");
    if (!text.startsWith(this.text)) await this.#answer.keep(this.#before);
    const missing = text.slice(this.text.length);
    if (missing !== "") await this.append([{ text: missing }]);
    const others = parts.filter((part) => !isPlainText(part));
    if (others.length > 0) await this.#others().bringTo(others);
  }

  /** The answer goes on after it. */
  async close(): Promise<void> {
    if (this.#hasRest) await this.#rest().close();
  }

  #others(): ArtifactTarget {
    this.#hasRest = true;
    return this.#rest();
  }
}
