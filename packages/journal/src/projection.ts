import { ProjectionFailedError, StorageError } from "./errors.ts";
import type { RecordedEvent } from "./events/recorded-event.ts";
import type { Migration } from "./schema.ts";
import type { SqlRunner, SqlValue } from "./sql-database.ts";

/** The events that one commit adds to one stream. */
export interface StreamCommit {
  readonly stream: string;
  readonly events: readonly RecordedEvent[];
}

/** Tables kept in step with the events: written in the transaction that records them. */
export interface Projection {
  readonly name: string;
  readonly migrations: readonly Migration[];
  /** Whether a commit matters to these tables; one that matters to none costs no transaction of its own. */
  wants(commit: StreamCommit): boolean;
  /** Takes in the wanted commits. A throw fails the append that caused it, and no other. */
  apply(transaction: SqlRunner, commits: readonly StreamCommit[]): Promise<void>;
  /** Called after every commit of this process, before its callers are answered: what `apply` wrote is visible now. */
  committed?(): void;
  /** Removes what a deleted stream left in the tables. */
  deleted(transaction: SqlRunner, stream: string): Promise<void>;
}

/** Whether any of the projections wants any of the commits. */
export function isWanted(projections: readonly Projection[], commits: readonly StreamCommit[]): boolean {
  return projections.some((projection) => commits.some((commit) => projection.wants(commit)));
}

/** Brings all projections up to date inside the given transaction. */
export async function applyProjections(
  projections: readonly Projection[],
  transaction: SqlRunner,
  commits: readonly StreamCommit[],
): Promise<void> {
  for (const projection of projections) {
    const wanted = commits.filter((commit) => projection.wants(commit));
    if (wanted.length === 0) continue;
    const failures: unknown[] = [];
    const watched: SqlRunner = {
      dialect: transaction.dialect,
      query: <Row>(sql: string, parameters?: readonly SqlValue[]) =>
        transaction.query<Row>(sql, parameters).catch((error: unknown) => {
          failures.push(error);
          throw error;
        }),
    };
    try {
      await projection.apply(watched, wanted);
      // A failed statement has ended the transaction on Postgres, even where the projection ignored it.
      if (failures.length > 0) throw failures[0];
    } catch (cause) {
      // A full disk or a lost connection is no fault of the projection's.
      throw cause instanceof StorageError ? cause : new ProjectionFailedError(projection.name, cause);
    }
  }
}
