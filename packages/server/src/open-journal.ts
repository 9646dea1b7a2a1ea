import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import {
  FolderNotWritableError,
  type Journal,
  JournalError,
  makeFolder,
  openSqliteJournal,
  type Projection,
  StorageUnavailableError,
} from "@parley/journal";
import type { Configuration } from "./configuration.ts";
import { type DataPlace, databaseName, databasePlace } from "./data-place.ts";
import { StartError } from "./start-error.ts";

const LOGIN_FAILED = ["28P01", "28000"];
const NO_SUCH_DATABASE = "3D000";
const NOT_PERMITTED = "42501";

type JournalSettings = DataPlace & Partial<Pick<Configuration, "archives" | "leaseMs" | "natsUrl">>;

/** Opens the journal in the Postgres of `DATABASE_URL`, or in the data folder; throws a `StartError` or `JournalError`. */
export async function openJournal(
  { databaseUrl, dataFolder, archives, leaseMs, natsUrl }: JournalSettings,
  projections: readonly Projection[],
  onHintTrouble?: (trouble: string | undefined) => void,
): Promise<Journal> {
  const common = { projections, archives };
  if (!databaseUrl) return openSqliteJournal({ folder: dataFolder, ...common });
  makeWritable(dataFolder);
  const { openPostgresJournal } = await import("@parley/journal/postgres");
  try {
    return await openPostgresJournal({
      ...common,
      url: databaseUrl.href,
      natsUrl: natsUrl?.href,
      onHintTrouble,
      ...(leaseMs !== undefined && { leaseMs }),
      incomingFolder: join(dataFolder, "incoming"),
    });
  } catch (error) {
    throw explained(error as Error, databaseUrl);
  }
}

/** With Postgres the folder still holds the log and the agents' files. */
function makeWritable(folder: string): void {
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new FolderNotWritableError(folder, error);
  }
}

function explained(error: Error, url: URL): Error {
  const place = databasePlace(url);
  const code = codeOf(error);
  if (LOGIN_FAILED.includes(code))
    return new StartError(`${capital(place)} rejected the login; correct user and password in DATABASE_URL`);
  if (code === NO_SUCH_DATABASE)
    return new StartError(
      `${capital(place)} does not exist; create it with "createdb ${databaseName(url)}", or correct DATABASE_URL`,
    );
  if (code === NOT_PERMITTED)
    return new StartError(
      `${capital(place)} does not allow creating a schema; grant the user CREATE on the database`,
    );
  if (error instanceof StorageUnavailableError)
    return new StartError(
      `${capital(place)} cannot be reached (${reasonOf(error, url)}); start it, or correct DATABASE_URL`,
    );
  if (error instanceof JournalError) return error;
  return new StartError(`${capital(place)} cannot be used (${reasonOf(error, url)}); correct DATABASE_URL`);
}

function reasonOf({ message, cause }: Error, { password }: URL): string {
  const reason = cause instanceof Error ? codeOf(cause) || cause.message : message;
  return password === "" ? reason : reason.replaceAll(password, "…");
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
