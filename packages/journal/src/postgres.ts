// Apart from index.ts, so that a process on SQLite does not load the Postgres driver.
export { openPostgresJournal } from "./postgres/postgres-journal.ts";
