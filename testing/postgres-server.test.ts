import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, lstat } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { inspect } from "node:util";
import { Client } from "pg";
import { expect, inject, it, onTestFinished, vi } from "vitest";
import { freePort } from "./free-ports.ts";
import { findBinaries } from "./postgres/binaries.ts";
import { mirrorTree } from "./postgres/mirror-tree.ts";
import { type PostgresOptions, startPostgres } from "./postgres-server.ts";
import { postgresTestFolder, testFolder } from "./test-folder.ts";

const hostHasPostgres = findBinaries() !== findBinaries("embedded");
const sources = hostHasPostgres ? (["host", "embedded"] as const) : (["embedded"] as const);

async function startForTest(options?: PostgresOptions) {
  const server = await startPostgres(options);
  onTestFinished(() => server.stop());
  return server;
}

async function ask(url: string, query: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<[unknown]>({ text: query, rowMode: "array" });
    return String(rows[0]?.[0]);
  } finally {
    await client.end();
  }
}

function useDatabaseUrl(url: string): void {
  vi.stubEnv("DATABASE_URL", url);
  vi.stubEnv("PARLEY_TEST_POSTGRES", "");
}

function withoutDatabase(server: string): string {
  const url = new URL(server);
  url.password = "my-secret";
  url.pathname = "/no_such_database";
  return url.href;
}

it.each(sources)("the %s binaries run as a non-root user and leave nothing behind", async (source) => {
  const server = await startForTest({ source });
  const version = execFileSync(join(findBinaries(source), "postgres"), ["--version"], { encoding: "utf8" });
  expect(version).toContain(await ask(server.url, "show server_version"));
  const data = await ask(server.url, "show data_directory");
  // The server process itself writes this file.
  expect((await lstat(join(data, "postmaster.pid"))).uid).not.toBe(0);
  await Promise.all([server.stop(), server.stop()]);
  expect(existsSync(dirname(data))).toBe(false);
});

it("the server runs binaries from a private folder", async () => {
  const home = await testFolder();
  await chmod(home, 0o700);
  mirrorTree(dirname(findBinaries("embedded")), join(home, "native"), undefined);
  const binaries = join(home, "native", "bin");
  vi.stubEnv("PATH", `${binaries}${delimiter}${process.env.PATH}`);
  const server = await startForTest({ source: "host" });
  expect(await ask(server.url, "select 1 + 1")).toBe("2");
  await server.stop();
  // As root the server ran from a copy, which goes with it; anybody else runs the programs in place.
  expect(server.binaries === binaries || !existsSync(server.binaries)).toBe(true);
});

it("the server takes another port when its first choice is taken", async () => {
  const occupant = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void occupant.close());
  await once(occupant, "listening");
  const { port: taken } = occupant.address() as AddressInfo;
  const choosePort = vi.fn(freePort).mockResolvedValueOnce(taken);
  const server = await startForTest({ source: "embedded", choosePort });
  expect(choosePort.mock.calls.length).toBeGreaterThan(1);
  expect(await ask(server.url, "select 1")).toBe("1");
});

it("the server applies settings, keeps fsync on, and uses the given data folder", async () => {
  const dataParent = postgresTestFolder();
  const server = await startForTest({ dataParent, settings: { application_name: "it's ours" } });
  expect(await ask(server.url, "show application_name")).toBe("it's ours");
  expect(await ask(server.url, "show fsync")).toBe("on");
  expect(await ask(server.url, "show data_directory")).toContain(dataParent);
});

it("a failed start shows the server's log", async () => {
  const starting = startPostgres({ source: "embedded", settings: { max_connections: "many" } });
  await expect(starting).rejects.toThrow(
    /did not start:.*invalid value for parameter "max_connections": "many"/s,
  );
});

it("startPostgres uses the server of DATABASE_URL and never stops it", async () => {
  const url = inject("postgresUrl");
  useDatabaseUrl(url);
  const server = await startPostgres();
  await server.stop();
  expect(server).toMatchObject({ url, binaries: "DATABASE_URL" });
  expect(await ask(url, "select 1")).toBe("1");
});

it.each([
  [
    "does not answer",
    async () => `postgres://me:my-secret@127.0.0.1:${await freePort()}/mine`,
    "ECONNREFUSED",
  ],
  [
    "answers no",
    async () => withoutDatabase(inject("postgresUrl")),
    'database "no_such_database" does not exist',
  ],
] as const)(
  "the error names DATABASE_URL, host and port when that server %s",
  async (_, chooseUrl, reason) => {
    const url = await chooseUrl();
    useDatabaseUrl(url);
    const { host } = new URL(url);
    const error = await startPostgres().catch((thrown) => thrown);
    expect(error.message).toBe(
      `DATABASE_URL names a Postgres at ${host} that cannot be used (${reason}): start it or correct the variable, or unset it and the tests start a Postgres of their own.`,
    );
    expect(inspect(error)).not.toContain("my-secret");
  },
);

it("startPostgres times out on a DATABASE_URL whose server accepts connections but never answers", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  useDatabaseUrl(`postgres://me:my-secret@127.0.0.1:${port}/mine`);
  await expect(startPostgres()).rejects.toThrow(`at 127.0.0.1:${port} that cannot be used (timeout expired)`);
});

it.each(["127.0.0.1:5432", "mysql://me:my-secret@host/mine", "postgres://me:my-secret@host:many/mine"])(
  "startPostgres rejects the DATABASE_URL %s without echoing it",
  async (url) => {
    useDatabaseUrl(url);
    const error = await startPostgres().catch((thrown) => thrown);
    expect(error.message).toMatch(/^DATABASE_URL is not the URL of a Postgres, such as .+\.$/);
    expect(inspect(error)).not.toContain("my-secret");
  },
);

it("startPostgres rejects an unknown PARLEY_TEST_POSTGRES", async () => {
  vi.stubEnv("PARLEY_TEST_POSTGRES", "docker");
  await expect(startPostgres()).rejects.toThrow("it may be host or embedded");
});
