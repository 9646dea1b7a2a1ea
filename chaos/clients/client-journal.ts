import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What one client did and saw, on disk as it happens: each thing a line, and each stream's bytes in a file as they came. */
export class ClientJournal {
  readonly #folder: string;
  #streams = 0;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    writeFileSync(this.#path("journal.jsonl"), "");
  }

  note(what: object): void {
    appendFileSync(this.#path("journal.jsonl"), `${JSON.stringify({ at: Date.now(), ...what })}\n`);
  }

  /** A file for the bytes of one more stream. */
  openStream(about: object): (bytes: Buffer) => void {
    const name = `${String(++this.#streams).padStart(5, "0")}.bytes`;
    this.note({ stream: name, ...about });
    return (bytes) => appendFileSync(this.#path(name), bytes);
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}
