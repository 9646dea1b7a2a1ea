import { inlineText, type PeerEvent } from "@parley/a2a";
import type { RunText } from "./run-text.ts";
import type { RunTexts } from "./run-texts.ts";

/** `output_start`, `output_delta` and `output_end`: one text whose pieces may each be an artifact of their own. */
export class OutputFamily {
  readonly #texts: RunTexts;
  #count = 0;
  #current: RunText | undefined;

  constructor(texts: RunTexts) {
    this.#texts = texts;
  }

  accept(kind: "output-start" | "output-delta" | "output-end", words: string): void {
    if (kind === "output-start") this.#current = undefined;
    const text = this.#current ?? this.#begin();
    if (words !== "") text.append(words);
    if (kind === "output-end") {
      text.end();
      this.#current = undefined;
    }
  }

  /** Adds what is new in all pieces that the agent has. */
  whole(events: readonly PeerEvent[]): void {
    const deltas = events.map((event) =>
      event.type === "output-delta" ? inlineText(event.artifact.parts) : "",
    );
    const now = deltas.join("");
    const said = Array.from(
      { length: this.#count },
      (_, at) => this.#texts.get(idOf(at + 1))?.said ?? "",
    ).join("");
    if (now.length > said.length && now.startsWith(said)) this.accept("output-delta", now.slice(said.length));
  }

  forget(): void {
    this.#current = undefined;
  }

  #begin(): RunText {
    const text = this.#texts.open({ artifactId: idOf(++this.#count), channel: "answer", name: "output" });
    text.start();
    this.#current = text;
    return text;
  }
}

function idOf(count: number): string {
  return `output-${count}`;
}
