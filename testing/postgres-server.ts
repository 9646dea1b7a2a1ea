import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { dropEmptied } from "./emptied-databases.ts";
import { freePort } from "./free-ports.ts";
import { type BinarySource, findBinaries } from "./postgres/binaries.ts";
import { postgresConfiguration } from "./postgres/configuration.ts";
import { requireGivenServer } from "./postgres/given-server.ts";
import { startGuardian } from "./postgres/guardian.ts";
import { reachableBinaries } from "./postgres/reachable-binaries.ts";
import { folderOwnedBy, type UnprivilegedUser, unprivilegedUser } from "./postgres/unprivileged-user.ts";

/** A running Postgres; `url` names a superuser, so tests may create databases. */
export interface PostgresServer {
  readonly url: string;
  /** The folder of the server's programs, or `DATABASE_URL` when the server is not ours. */
  readonly binaries: string;
  /** Stops the server and removes its data; one that is not ours goes on, without what tests left; a second call changes nothing. */
  stop(): Promise<void>;
}

/** Settings and a data folder of one's own always give a server of one's own, whatever `DATABASE_URL` says. */
export interface PostgresOptions {
  /** Forces the origin of the programs; `PARLEY_TEST_POSTGRES` does the same for a whole run. */
  readonly source?: BinarySource;
  readonly settings?: Readonly<Record<string, string>>;
  /** The folder to make the data folder in, such as a small tmpfs. */
  readonly dataParent?: string;
  /** Proposes a port, again and again while another process is faster to take it; a free one by default. */
  readonly choosePort?: () => Promise<number>;
}

/** The server did not come up; the message ends with its log. */
class PostgresStartError extends Error {
  readonly log: string;

  constructor(binaries: string, log: string) {
    super(`Postgres from ${binaries} did not start:\n${log.trim().split("\n").slice(-30).join("\n")}`);
    this.name = "PostgresStartError";
    this.log = log;
  }
}

const portAttempts = 5;

/** Starts a real Postgres that ends with this process, or returns the server that `DATABASE_URL` names. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const source = options.source ?? forcedSource();
  const given = process.env.DATABASE_URL;
  if (given && !source && !options.settings && !options.dataParent) {
    await requireGivenServer(given);
    return { url: given, binaries: "DATABASE_URL", stop: () => dropEmptied(given) };
  }
  const user = unprivilegedUser();
  const binaries = findBinaries(source);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(binaries, user, options);
    } catch (error) {
      if (attempt === portAttempts || !isPortTaken(error)) throw error;
    }
  }
}

function forcedSource(): BinarySource | undefined {
  const source = process.env.PARLEY_TEST_POSTGRES;
  if (!source) return undefined;
  if (source === "host" || source === "embedded") return source;
  throw new Error(`PARLEY_TEST_POSTGRES is ${source}: it may be host or embedded.`);
}

async function startOnce(
  found: string,
  user: UnprivilegedUser | undefined,
  { settings, dataParent, choosePort = freePort }: PostgresOptions,
): Promise<PostgresServer> {
  const port = await choosePort();
  const configuration = postgresConfiguration({ port: String(port), ...settings });
  // No await until the guardian runs: a process that is ended at one would leave its folders behind.
  const { binaries, copy } = reachableBinaries(found, user);
  const temporary = copy ? [copy] : [];
  try {
    const folder = folderOwnedBy(user, "parley-postgres-", dataParent ? [dataParent] : undefined);
    temporary.push(folder);
    const guardian = await startGuardian({ binaries, folder, configuration, user, temporary });
    if (!guardian.ready) {
      const log = readFileSync(join(folder, "log"), "utf8");
      await guardian.end();
      throw new PostgresStartError(binaries, log);
    }
    let stopped: Promise<void> | undefined;
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      binaries,
      stop() {
        stopped ??= guardian.end();
        return stopped;
      },
    };
  } catch (error) {
    for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

// Between our finding a free port and the server's taking it, another process may be faster.
function isPortTaken(error: unknown): boolean {
  return error instanceof PostgresStartError && error.log.includes("could not create any TCP/IP sockets");
}
