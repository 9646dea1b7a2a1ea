import { StartError } from "./start-error.ts";

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
