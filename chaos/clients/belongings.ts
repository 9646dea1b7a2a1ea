import type { SeededRandom } from "../schedule/seeded-random.ts";

/** The names of one conversation: its session, a message and a run. */
export interface Talk {
  readonly id: string;
  readonly messageId: string;
  readonly runId: string;
}

/** What the crew has made so far, for somebody else to reach for. */
export class Belongings {
  readonly #fileId: string;
  readonly #talks: Talk[] = [];
  readonly #tasks: string[] = [];

  /** With a file that was uploaded before. */
  constructor(fileId: string) {
    this.#fileId = fileId;
  }

  talk(talk: Talk): void {
    this.#talks.push(talk);
  }

  task(id: string): void {
    this.#tasks.push(id);
  }

  /** One conversation, one task and the file, rather a new one: what is under way is what others must not touch. */
  pick(random: SeededRandom): Record<string, string> | undefined {
    const [talk, taskId] = [newest(this.#talks, random), newest(this.#tasks, random)];
    return talk && taskId !== undefined ? { ...talk, taskId, fileId: this.#fileId } : undefined;
  }
}

function newest<Item>(items: readonly Item[], random: SeededRandom): Item | undefined {
  return items.at(-random.between(1, Math.min(items.length, 6)));
}
