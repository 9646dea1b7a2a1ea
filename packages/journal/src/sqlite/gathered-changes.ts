import { setImmediate as immediate } from "node:timers/promises";
import type { SyncedWrites } from "./synced-writes.ts";

interface Change {
  readonly work: () => unknown;
  readonly committed: () => void;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Small changes, each of which would be a transaction: those of one turn of the event loop share one. */
export class GatheredChanges {
  readonly #writes: Pick<SyncedWrites, "write">;
  #gathered: Change[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(writes: Pick<SyncedWrites, "write">) {
    this.#writes = writes;
  }

  /** Resolves when it is committed, with what `work` returned; `committed` is called before anybody else writes. */
  run<Result>(work: () => Result, committed: () => void): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#gathered.push({ work, committed, resolve, reject });
      if (this.#gathered.length === 1) this.#writing = immediate().then(() => this.#write());
    });
  }

  /** Resolves when nothing waits, and all that did is committed or was refused. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    const changes = this.#gathered;
    this.#gathered = [];
    try {
      const results = await this.#writes.write(
        async () => changes.map(({ work }) => work()),
        () => {
          for (const { committed } of changes) committed();
        },
      );
      for (const [place, { resolve }] of changes.entries()) resolve(results[place] as never);
    } catch (error) {
      for (const { reject } of changes) reject(error);
    }
  }
}
