import { resolve } from "node:path";
import { StartError } from "./start-error.ts";

/** The main port, unless another one is set. */
export const USUAL_PORT = "8000";

/** Where the data is stored. */
export interface DataPlace {
  /** Absolute path of the data folder. */
  readonly dataFolder: string;
  /** The Postgres of the journal; without it the journal is in the data folder. */
  readonly databaseUrl: URL | undefined;
  /** Part of file names where several nodes may share the folder. */
  readonly node?: string | undefined;
}

/** Reads `PARLEY_DATA` and `DATABASE_URL`; throws a `StartError`. */
export function dataPlace(environment: Readonly<Record<string, string | undefined>>): DataPlace {
  const folder = environment.PARLEY_DATA || ".parley";
  if (folder.startsWith("~")) {
    throw new StartError(
      `PARLEY_DATA begins with ~, which only a shell expands; write the full path instead of ${folder}`,
    );
  }
  const database = databaseUrl(environment.DATABASE_URL);
  const port = environment.PORT || USUAL_PORT;
  const node = database && port !== USUAL_PORT ? port : undefined;
  return { dataFolder: resolve(folder), databaseUrl: database, node };
}

/** The name of a file that each node has for itself. */
export function nodeFile({ node }: Pick<DataPlace, "node">, name: string, extension: string): string {
  return `${name}${node === undefined ? "" : `-${node}`}.${extension}`;
}

/** Parses `DATABASE_URL`; throws a `StartError` that does not quote it, because it may contain a password. */
export function databaseUrl(text: string | undefined): URL | undefined {
  if (!text) return undefined;
  const url = URL.parse(text);
  if (url && /^postgres(ql)?:$/.test(url.protocol)) return url;
  throw new StartError(
    "DATABASE_URL must be a Postgres URL, such as postgres://user:password@host:5432/database",
  );
}

/** Names a database, without user and password. */
export function databasePlace(url: URL): string {
  const host = url.host || url.searchParams.get("host") || "the local socket";
  return `the database ${databaseName(url)} at ${host}`;
}

/** The database name; Postgres defaults to the user's name. */
export function databaseName({ pathname, username }: URL): string {
  return pathname.slice(1) || username;
}
