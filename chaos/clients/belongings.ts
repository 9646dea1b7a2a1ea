import type { SeededRandom } from "../schedule/seeded-random.ts";

/** The ids of one conversation: its session, a message and a run. */
export interface Talk {
  readonly id: string;
  readonly messageId: string;
  readonly runId: string;
}

/** The crew's resources so far, as targets for intruders. */
export class Belongings {
  readonly #fileId: string;
  readonly #talks: Talk[] = [];
  readonly #tasks: string[] = [];

  /** Including an uploaded file. */
  constructor(fileId: string) {
    this.#fileId = fileId;
  }

  talk(talk: Talk): void {
    this.#talks.push(talk);
  }

  task(id: string): void {
    this.#tasks.push(id);
  }

  /** One conversation, one task and the file, preferring recent ones: active resources are the most sensitive. */
  pick(random: SeededRandom): Record<string, string> | undefined {
    const [talk, taskId] = [newest(this.#talks, random), newest(this.#tasks, random)];
    return talk && taskId !== undefined ? { ...talk, taskId, fileId: this.#fileId } : undefined;
  }
}

function newest<Item>(items: readonly Item[], random: SeededRandom): Item | undefined {
  return items.at(-random.between(1, Math.min(items.length, 6)));
}
