import { resolve } from "node:path";
import { StartError } from "./start-error.ts";

/** The main port, unless another one is set. */
export const USUAL_PORT = "8000";

/** Where the data is. */
export interface DataPlace {
  /** Absolute path of the data folder. */
  readonly dataFolder: string;
  /** The Postgres that holds the journal; without it, the data folder does. */
  readonly databaseUrl: URL | undefined;
  /** Set where several nodes may share the folder: what each of them writes there has this in its name. */
  readonly node?: string | undefined;
}

/** Where `PARLEY_DATA` and `DATABASE_URL` say that the data is; throws a `StartError` that says what is wrong with them. */
export function dataPlace(environment: Readonly<Record<string, string | undefined>>): DataPlace {
  const folder = environment.PARLEY_DATA || ".parley";
  if (folder.startsWith("~")) {
    throw new StartError(
      `PARLEY_DATA begins with ~, which only a shell replaces: write the whole path, not ${folder}`,
    );
  }
  const database = databaseUrl(environment.DATABASE_URL);
  const port = environment.PORT || USUAL_PORT;
  const node = database && port !== USUAL_PORT ? port : undefined;
  return { dataFolder: resolve(folder), databaseUrl: database, node };
}

/** The name of a file that every node has for itself. */
export function nodeFile({ node }: Pick<DataPlace, "node">, name: string, extension: string): string {
  return `${name}${node === undefined ? "" : `-${node}`}.${extension}`;
}

/** Reads `DATABASE_URL`; throws a `StartError` without a word of it, for it may hold a password. */
export function databaseUrl(text: string | undefined): URL | undefined {
  if (!text) return undefined;
  const url = URL.parse(text);
  if (url && /^postgres(ql)?:$/.test(url.protocol)) return url;
  throw new StartError(
    "DATABASE_URL is not the URL of a Postgres, such as postgres://user:password@host:5432/database",
  );
}

/** Which database that is, without user and password. */
export function databasePlace(url: URL): string {
  const host = url.host || url.searchParams.get("host") || "the local socket";
  return `the database ${databaseName(url)} at ${host}`;
}

/** Postgres itself takes the user's name where none is given. */
export function databaseName({ pathname, username }: URL): string {
  return pathname.slice(1) || username;
}
