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
