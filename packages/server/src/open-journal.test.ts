import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@parley/testing/free-ports.ts";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { startPostgres } from "@parley/testing/postgres-server.ts";
import { postgresTestFolder, testFolder } from "@parley/testing/test-folder.ts";
import { expect, inject, it, onTestFinished } from "vitest";
import { databaseUrl } from "./data-place.ts";
import { openJournal } from "./open-journal.ts";
import { StartError } from "./start-error.ts";
import { refusal, ServerProcess } from "./testing/server-process.ts";

const SECRET = "my-secret";

async function database(): Promise<string> {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  return url;
}

async function started(url: string, data?: string): Promise<ServerProcess> {
  return new ServerProcess({ DATABASE_URL: url, PARLEY_DATA: data ?? (await testFolder()) });
}

it("the server stores everything in the Postgres of DATABASE_URL, prints it without the password, and finds it after a restart", async () => {
  const url = new URL(await database());
  url.password ||= SECRET;
  const data = join(await testFolder(), "deep", "data");
  const first = await started(url.href, data);
  const api = `${await first.url()}/api/v1/sessions`;
  await expect
    .poll(() => first.output)
    .toContain(`Postgres in the database ${url.pathname.slice(1)} at ${url.host}`);
  const headers = { "content-type": "application/json" };
  const answer = await fetch(api, { method: "POST", headers, body: JSON.stringify({ title: "Kept" }) });
  const { session } = (await answer.json()) as { session: { id: string } };
  const page = await (await fetch(`${await first.url()}/status`)).text();
  expect(page).toContain(`Postgres in the database ${url.pathname.slice(1)} at ${url.host}`);
  expect(await first.end()).toMatchObject({ code: 0 });
  expect(`${first.output}${first.errors}${page}`).not.toContain(url.password);
  expect(await readdir(data)).not.toContain("journal.db");
  const second = await started(url.href, data);
  const again = await fetch(`${await second.url()}/api/v1/sessions/${session.id}`);
  expect(await again.json()).toMatchObject({ session: { title: "Kept" } });
});

it("the server reads DATABASE_URL from .env too", async () => {
  const url = await database();
  const folder = await testFolder({ ".env": `DATABASE_URL=${url}\n` });
  const server = new ServerProcess({ PARLEY_DATA: "data" }, ["env", "-C", folder]);
  await server.url();
  await expect.poll(() => server.output).toContain("Postgres in the database");
});

/** The sentence for the operator, which never holds the password. */
async function sentence(url: string): Promise<string> {
  const open = async () =>
    openJournal({ databaseUrl: databaseUrl(url), dataFolder: await testFolder(), leaseMs: 10_000 }, []);
  const error: Error = await open().then(
    () => new Error("It opened"),
    (refused) => refused,
  );
  expect(error).toBeInstanceOf(StartError);
  expect(`${error.stack} ${error.cause}`).not.toContain(SECRET);
  return error.message;
}

it("the server prints one sentence and exits if DATABASE_URL cannot be used", async () => {
  const port = await freePort();
  const said = await refusal(await started(`postgres://me:${SECRET}@127.0.0.1:${port}/mine`));
  expect(said).toBe(
    `The database mine at 127.0.0.1:${port} cannot be reached (ECONNREFUSED); start it, or correct DATABASE_URL\n`,
  );
});

it.each(["nonsense", `mysql://me:${SECRET}@127.0.0.1/mine`, `me:${SECRET}@127.0.0.1/mine`])(
  "the server refuses the DATABASE_URL %j without quoting it",
  async (url) => {
    expect(await sentence(url)).toMatch(/^DATABASE_URL must be a Postgres URL, such as/);
  },
);

it("the server reports an invalid host, database, user or URL", async () => {
  const none = new URL(inject("postgresUrl"));
  none.pathname = "/none";
  expect(await sentence(`postgres://me:${SECRET}@none.invalid/mine`)).toContain(
    "The database mine at none.invalid cannot be reached",
  );
  expect(await sentence(none.href)).toContain('create it with "createdb none"');
  expect(await sentence(`postgres://nobody:${SECRET}@${none.host}/postgres`)).toContain(
    "correct user and password",
  );
  expect(await sentence(`postgres://me:${SECRET}%@127.0.0.1/mine`)).toContain("correct DATABASE_URL");
});

it("the server reports a wrong or missing password", async () => {
  const rules = join(postgresTestFolder(), "hba.conf");
  await writeFile(rules, "host all all 127.0.0.1/32 scram-sha-256\n", { mode: 0o644 });
  const server = await startPostgres({ settings: { hba_file: rules } });
  onTestFinished(() => server.stop());
  const url = new URL(server.url);
  expect(await sentence(url.href)).toContain("correct DATABASE_URL");
  url.password = SECRET;
  expect(await sentence(url.href)).toContain("rejected the login; correct user and password in DATABASE_URL");
});

it("the server reports a key folder that is not writable", async () => {
  const data = join(await testFolder({ file: "" }), "file");
  expect(await refusal(await started(await database(), data))).toContain(`${data} cannot be written`);
});
