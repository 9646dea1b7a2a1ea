import type { Artifact, Part } from "@parley/a2a";

/** What the files of one task may come to: less than what a supervisor takes from one agent. */
const MOST_CHARACTERS = 6 * 1_048_576;
const MOST_FILES = 64;

/** Counts the files of a task, so that no number of calls can make too much of them. */
export class FileAllowance {
  #characters = 0;
  #files = 0;

  /** With what the task already has. */
  constructor(artifacts: readonly Artifact[] = []) {
    for (const part of artifacts.flatMap(({ parts }) => parts)) {
      if (part.raw === undefined && part.url === undefined) continue;
      this.#files++;
      this.#characters += part.raw?.length ?? 0;
    }
  }

  /** The files for which there is room, and a line for the model about each of the others. */
  take(files: readonly Part[]): { readonly files: readonly Part[]; readonly notes: readonly string[] } {
    const taken: Part[] = [];
    const notes: string[] = [];
    for (const file of files) {
      const characters = file.raw?.length ?? 0;
      if (this.#files < MOST_FILES && this.#characters + characters <= MOST_CHARACTERS) {
        this.#files++;
        this.#characters += characters;
        taken.push(file);
      } else {
        notes.push(
          `[${file.filename ?? "a file"} did not reach the user: the files of this task are too many, or too large together]`,
        );
      }
    }
    return { files: taken, notes };
  }
}
