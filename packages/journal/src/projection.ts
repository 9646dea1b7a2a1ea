import { ProjectionFailedError } from "./errors.ts";
import type { Migration } from "./migrations.ts";
import type { RecordedEvent } from "./recorded-event.ts";
import type { SqlRunner } from "./sql-database.ts";

/** The events that one commit adds to one stream. */
export interface StreamCommit {
  readonly stream: string;
  readonly events: readonly RecordedEvent[];
}

/** Tables kept in step with the events: written in the transaction that records them. */
export interface Projection {
  readonly name: string;
  readonly migrations: readonly Migration[];
  /** A throw fails the append that caused it, and no other. */
  apply(transaction: SqlRunner, commits: readonly StreamCommit[]): Promise<void>;
  /** Removes what a deleted stream left in the tables. */
  deleted(transaction: SqlRunner, stream: string): Promise<void>;
}

/** Brings all projections up to date inside the given transaction. */
export async function applyProjections(
  projections: readonly Projection[],
  transaction: SqlRunner,
  commits: readonly StreamCommit[],
): Promise<void> {
  for (const projection of projections) {
    try {
      await projection.apply(transaction, commits);
    } catch (cause) {
      throw new ProjectionFailedError(projection.name, cause);
    }
  }
}
