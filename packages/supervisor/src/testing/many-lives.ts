import { ChildProgram } from "@parley/testing/child-program.ts";

/** A program that can be killed again and again; from the second life on, the next gets ready while one lasts. */
export class ManyLives {
  readonly #born: () => ChildProgram;
  #life: ChildProgram | undefined;
  #next: ChildProgram | undefined;

  constructor(program: URL, task: unknown, environment: NodeJS.ProcessEnv) {
    this.#born = () => new ChildProgram(program, task, environment);
  }

  /** Resolves when the next life serves. */
  async begin(): Promise<void> {
    const isFirst = this.#life === undefined;
    const life = this.#next ?? this.#born();
    this.#life = life;
    await life.printed(1);
    life.tell("begin");
    await life.printed(2);
    this.#next = isFirst ? undefined : this.#born();
  }

  /** kill −9; resolves when it is gone. */
  async kill(): Promise<void> {
    await this.#life?.kill();
  }
}
