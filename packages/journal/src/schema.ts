import { NewerSchemaError } from "./errors.ts";

/** One step of a schema, as a script for each dialect. Steps are only ever added, never changed. */
export interface Migration {
  readonly sqlite: string;
  readonly postgres: string;
}

/** A named set of tables with its own version: the number of its migrations. */
export interface SchemaComponent {
  readonly name: string;
  readonly migrations: readonly Migration[];
}

/** A migration that the database does not have yet. */
export interface PendingMigration extends Migration {
  readonly component: string;
  readonly version: number;
}

/**
 * The migrations to run, in order; throws when the database has what these components do not know.
 * `installed` holds the version of each component in the database.
 */
export function pendingMigrations(
  where: string,
  components: readonly SchemaComponent[],
  installed: ReadonlyMap<string, number>,
): PendingMigration[] {
  const known = new Map(components.map(({ name, migrations }) => [name, migrations.length]));
  for (const [component, version] of installed) {
    // An unknown component would fall out of step with the events: that, too, is a newer schema.
    const supported = known.get(component) ?? 0;
    if (version > supported) throw new NewerSchemaError(where, component, version, supported);
  }
  return components.flatMap(({ name, migrations }) =>
    migrations
      .map((migration, position) => ({ ...migration, component: name, version: position + 1 }))
      .slice(installed.get(name) ?? 0),
  );
}

/**
 * The journal's own tables. SQLite: a stream's head is not stored but found by its index, one write less
 * for every append, and `lease` is the number of the open that holds it, void in every later one.
 * Postgres: `head` and `epoch` share a row, so that one statement checks and moves them.
 */
export const JOURNAL_SCHEMA: SchemaComponent = {
  name: "journal",
  migrations: [
    {
      sqlite: `
        CREATE TABLE streams (
          id INTEGER PRIMARY KEY,
          name TEXT NOT NULL UNIQUE,
          trimmed INTEGER NOT NULL DEFAULT 0,
          archived INTEGER NOT NULL DEFAULT 0,
          archive TEXT,
          epoch INTEGER NOT NULL DEFAULT 0,
          lease INTEGER,
          deleted INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX streams_by_lease ON streams (lease) WHERE lease IS NOT NULL;
        CREATE TABLE events (
          stream INTEGER NOT NULL,
          idx INTEGER NOT NULL,
          at INTEGER NOT NULL,
          body TEXT NOT NULL,
          UNIQUE (stream, idx)
        );
        CREATE TABLE opens (number INTEGER NOT NULL);
        INSERT INTO opens VALUES (0);`,
      postgres: `
        CREATE TABLE streams (
          id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          name text NOT NULL UNIQUE,
          head bigint NOT NULL DEFAULT 0,
          trimmed bigint NOT NULL DEFAULT 0,
          archived bigint NOT NULL DEFAULT 0,
          archive text,
          epoch bigint NOT NULL DEFAULT 0,
          lease_owner text,
          lease_until timestamptz,
          deleted boolean NOT NULL DEFAULT false
        ) WITH (fillfactor = 50);
        CREATE INDEX streams_by_lease ON streams (id) WHERE lease_owner IS NOT NULL;
        CREATE TABLE events (
          stream bigint NOT NULL,
          idx bigint NOT NULL,
          at bigint NOT NULL,
          body text NOT NULL,
          PRIMARY KEY (stream, idx)
        );
        CREATE TABLE blobs (
          hash text PRIMARY KEY,
          content bytea NOT NULL
        );`,
    },
    // From here on a row is a run of events (`event-run.ts`); what there was before are runs of one.
    {
      sqlite: "ALTER TABLE events RENAME COLUMN idx TO last;",
      postgres: "ALTER TABLE events RENAME COLUMN idx TO last;",
    },
    // Rows of one stream stay together; vacuuming and indices are of a sixteenth of all streams.
    { sqlite: "", postgres: partitioned() },
  ],
};

function partitioned(): string {
  const parts = Array.from(
    { length: 16 },
    (_, n) => `CREATE TABLE events_${n} PARTITION OF events FOR VALUES WITH (MODULUS 16, REMAINDER ${n});`,
  );
  return `
    ALTER TABLE events RENAME TO events_before;
    ALTER INDEX events_pkey RENAME TO events_before_pkey;
    CREATE TABLE events (
      stream bigint NOT NULL,
      last bigint NOT NULL,
      at bigint NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (stream, last)
    ) PARTITION BY HASH (stream);
    ${parts.join("\n    ")}
    INSERT INTO events SELECT stream, last, at, body FROM events_before;
    DROP TABLE events_before;`;
}
