import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Journal } from "@parley/journal";

const STREAM = "readiness";
/** So much is written that a full disk cannot hide it in the last free bytes of a page. */
const BYTES = 3_000;
const ANSWER_LASTS_MS = 2_000;
const PATIENCE_MS = 2_000;

/** Whether the journal can commit: tried by a commit, though not more often than every two seconds, whoever asks. */
export class JournalProbe {
  readonly #journal: Journal;
  #answer: { readonly at: number; readonly works: Promise<boolean> } | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  works(): Promise<boolean> {
    const now = performance.now();
    if (!this.#answer || now - this.#answer.at > ANSWER_LASTS_MS)
      this.#answer = { at: now, works: this.#inTime() };
    return this.#answer.works;
  }

  // A storage that does not answer is no better than one that refuses.
  #inTime(): Promise<boolean> {
    return Promise.race([
      this.#commit().then(
        () => true,
        () => false,
      ),
      pause(PATIENCE_MS, false, { ref: false }),
    ]);
  }

  async #commit(): Promise<void> {
    const event = { probe: randomBytes(BYTES).toString("base64") };
    const index = await this.#journal.append(STREAM, [event], { urgent: true });
    await this.#journal.trim(STREAM, index);
  }
}
