import type { ReadArtifact } from "./read-event.ts";
import type { ArtifactReport } from "./stream-report.ts";

interface Kept {
  readonly artifactId: string;
  name: string | undefined;
  text: string;
  pieces: number;
  firstSeen: number;
  lastSeen: number;
  isClosed: boolean;
  snapshotOf: string | undefined;
}

/** Characters of one task that are kept. */
const MAX_TEXT = 64 * 1024 * 1024;

/** The artifacts of one task as a reader joins them: append extends, anything else replaces. */
export class ArtifactTexts {
  readonly #kept = new Map<string, Kept>();
  readonly #carriedIds = new Map<string, string>();
  #size = 0;
  /** The highest index of an event that is in here. */
  index = 0;
  overflowed = false;

  /** Adds a piece; returns its violation, if any. */
  take(
    artifactId: string,
    piece: ReadArtifact,
    time: number,
  ): "append-to-nothing" | "append-after-last-chunk" | undefined {
    const known = this.#kept.get(artifactId);
    const wrong = piece.append && wrongIn(known);
    const kept = known ?? this.#begin(artifactId, time);
    if (piece.carriedId !== undefined) this.#carriedIds.set(piece.carriedId, artifactId);
    if (!piece.append) kept.text = "";
    this.#size += piece.text.length;
    if (this.#size > MAX_TEXT) this.overflowed = true;
    else kept.text += piece.text;
    kept.name = piece.name ?? kept.name;
    kept.snapshotOf = piece.snapshotOf ?? kept.snapshotOf;
    kept.isClosed = piece.lastChunk;
    kept.pieces++;
    kept.lastSeen = time;
    return wrong || undefined;
  }

  /** What repeats another artifact, and does not say the same. */
  differingSnapshots(): string[] {
    if (this.overflowed) return [];
    const kept = [...this.#kept.values()];
    const results = kept.filter(({ name }) => name === "streaming_result").map(({ text }) => text);
    const result = results.length === 0 ? undefined : results.join("");
    const snapshots = kept.filter(
      ({ name, snapshotOf }) => snapshotOf !== undefined || name === "partial_result",
    );
    return snapshots.flatMap(({ artifactId, name = artifactId, text, snapshotOf }) => {
      const source = snapshotOf === undefined ? result : this.#textOf(snapshotOf);
      if (source === text) return [];
      const repeated = source === undefined ? "nothing that was sent" : `${source.length} other characters`;
      return [`${name} has ${text.length} characters, and repeats ${repeated}`];
    });
  }

  texts(): Record<string, string> {
    return Object.fromEntries([...this.#kept].map(([artifactId, { text }]) => [artifactId, text]));
  }

  artifacts(): ArtifactReport[] {
    return [...this.#kept.values()].map(({ artifactId, name, pieces, firstSeen, lastSeen }) => {
      return { artifactId, name, pieces, firstSeen, lastSeen };
    });
  }

  #textOf(artifactId: string): string | undefined {
    return this.#kept.get(this.#carriedIds.get(artifactId) ?? artifactId)?.text;
  }

  #begin(artifactId: string, time: number): Kept {
    const nothing = { name: undefined, text: "", pieces: 0, isClosed: false, snapshotOf: undefined };
    const kept = { artifactId, ...nothing, firstSeen: time, lastSeen: time };
    this.#kept.set(artifactId, kept);
    return kept;
  }
}

function wrongIn(known: Kept | undefined) {
  if (known === undefined) return "append-to-nothing";
  return known.isClosed && "append-after-last-chunk";
}
