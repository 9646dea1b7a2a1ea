import { ChildProgram } from "@parley/testing/child-program.ts";

/** A program that is killed again and again; its next life gets ready while this one lasts. */
export class ManyLives {
  readonly #born: () => ChildProgram;
  #life: ChildProgram | undefined;
  #next: ChildProgram;
  lives = 0;

  constructor(program: URL, task: unknown, environment: NodeJS.ProcessEnv) {
    this.#born = () => new ChildProgram(program, task, environment);
    this.#next = this.#born();
  }

  /** Resolves when the next life serves. */
  async begin(): Promise<void> {
    const life = this.#next;
    this.#life = life;
    this.lives++;
    await life.printed(1);
    life.tell("begin");
    await life.printed(2);
    this.#next = this.#born();
  }

  /** kill −9; resolves when it is gone. */
  async kill(): Promise<void> {
    await this.#life?.kill();
  }
}
