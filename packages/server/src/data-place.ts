import { resolve } from "node:path";
import { databaseUrl } from "./database-url.ts";
import { StartError } from "./start-error.ts";

/** Where the data is. */
export interface DataPlace {
  /** Absolute path of the data folder. */
  readonly dataFolder: string;
  /** The Postgres that holds the journal; without it, the data folder does. */
  readonly databaseUrl: URL | undefined;
}

/** Where `PARLEY_DATA` and `DATABASE_URL` say that the data is; throws a `StartError` that says what is wrong with them. */
export function dataPlace(environment: Readonly<Record<string, string | undefined>>): DataPlace {
  const folder = environment.PARLEY_DATA || ".parley";
  if (folder.startsWith("~")) {
    throw new StartError(
      `PARLEY_DATA begins with ~, which only a shell replaces: write the whole path, not ${folder}`,
    );
  }
  return { dataFolder: resolve(folder), databaseUrl: databaseUrl(environment.DATABASE_URL) };
}
