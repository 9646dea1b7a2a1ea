import { type ArtifactEvent, inlineText } from "@parley/a2a";
import type { RunTexts } from "./run-texts.ts";

/** Artifacts that repeat the answer whole: where they differ from it in the end, they win. */
export class AnswerSnapshots {
  readonly #texts: RunTexts;
  readonly #snapshots = new Map<string, { readonly of: string | undefined; readonly text: string }>();

  constructor(texts: RunTexts) {
    this.#texts = texts;
  }

  accept({ artifact, arrival, snapshotOf }: Extract<ArtifactEvent, { type: "snapshot" }>): void {
    const { artifactId, parts } = artifact;
    const before = arrival === "append" ? (this.#snapshots.get(artifactId)?.text ?? "") : "";
    this.#snapshots.set(artifactId, { of: snapshotOf, text: before + inlineText(parts) });
  }

  judge(): void {
    for (const [artifactId, { of, text }] of this.#snapshots) {
      const named = of === undefined ? undefined : this.#texts.get(of);
      const [first, ...others] = named ? [named] : this.#texts.of("answer");
      const target = first ?? this.#texts.open({ artifactId, channel: "answer" });
      const said = named ? named.said : this.#texts.answer;
      if (said.includes(text.trim())) continue;
      for (const other of others) other.restart("");
      target.bringTo(text, { final: true });
    }
    this.#snapshots.clear();
  }

  forget(): void {
    this.#snapshots.clear();
  }
}
