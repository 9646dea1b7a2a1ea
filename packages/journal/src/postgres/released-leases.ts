import type { SqlRunner } from "../sql-database.ts";
import { int8Array, textArray } from "./binary-array.ts";

interface Released {
  readonly stream: string;
  readonly epoch: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** Rows are locked in the order of their ids, as appends do: they never wait for each other in a circle. */
const SQL = `
WITH locked AS MATERIALIZED (
  SELECT s.id FROM streams s
  JOIN unnest($1::text[], $2::bigint[]) AS r (name, epoch) ON s.name = r.name AND s.epoch = r.epoch
  ORDER BY s.id FOR UPDATE OF s
)
UPDATE streams s SET lease_owner = NULL, lease_until = NULL, epoch = epoch + 1 FROM locked l WHERE s.id = l.id`;

/**
 * Gives leases back, in one statement all that are given back at once: a node that ends has hundreds, and each by itself
 * they would wait for a connection for longer than anybody waits.
 */
export class ReleasedLeases {
  readonly #database: SqlRunner;
  #waiting: Released[] = [];
  #isUnderWay = false;

  constructor(database: SqlRunner) {
    this.#database = database;
  }

  release(stream: string, epoch: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ stream, epoch, resolve, reject });
      if (this.#isUnderWay) return;
      this.#isUnderWay = true;
      setImmediate(() => void this.#releaseAll());
    });
  }

  async #releaseAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const leases = this.#waiting.splice(0);
      try {
        await this.#database.query(SQL, [
          textArray(leases.map(({ stream }) => stream)),
          int8Array(leases.map(({ epoch }) => epoch)),
        ]);
        for (const { resolve } of leases) resolve();
      } catch (error) {
        for (const { reject } of leases) reject(error);
      }
    }
    this.#isUnderWay = false;
  }
}
