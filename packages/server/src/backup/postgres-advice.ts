import { databasePlace } from "../data-place.ts";

/** How to back up a Postgres journal with Postgres's own tools; contains no password. */
export function postgresAdvice(url: URL, work: "backup" | "restore"): string {
  const place = `${databasePlace(url)[0]?.toUpperCase()}${databasePlace(url).slice(1)}`;
  const target = new URL(url);
  target.password = "";
  const database = `--dbname='${target.href}'`;
  const command =
    work === "backup"
      ? `pg_dump --format=custom --schema=parley --file=parley-journal.dump ${database}`
      : `pg_restore --clean --if-exists ${database} parley-journal.dump`;
  return `${place} holds the journal and its blobs: ${
    work === "backup" ? "dump them beside this backup" : "stop every node, and restore them from their dump"
  } with (the password comes from PGPASSWORD or ~/.pgpass)\n  ${command}\n`;
}
