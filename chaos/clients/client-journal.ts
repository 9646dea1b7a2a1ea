import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What one client did and saw, written to disk as it happens: a line per action, and each stream's raw bytes in a file. */
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

  /** Opens a file for the bytes of another stream. */
  openStream(about: object): (bytes: Buffer) => void {
    const name = `${String(++this.#streams).padStart(5, "0")}.bytes`;
    this.note({ stream: name, ...about });
    return (bytes) => appendFileSync(this.#path(name), bytes);
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}
