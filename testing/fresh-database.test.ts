import { Client } from "pg";
import { expect, inject, it, onTestFinished } from "vitest";
import { connected, dropEmptied } from "./emptied-databases.ts";
import { freshDatabase } from "./fresh-database.ts";
import { startPostgres } from "./postgres-server.ts";

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

it("freshDatabase creates a database per caller and drops it despite open connections", async () => {
  const [first, second] = await Promise.all([
    freshDatabase(inject("postgresUrl")),
    freshDatabase(inject("postgresUrl")),
  ]);
  const client = await connect(first.url);
  await client.query("create table mine (id int)");
  const neighbour = await connect(second.url);
  await expect(neighbour.query("select * from mine")).rejects.toThrow("does not exist");
  await neighbour.end();
  const cut = new Promise((resolve) => client.on("error", resolve));
  await Promise.all([first.drop(), second.drop()]);
  await cut;
  await expect(connect(first.url)).rejects.toThrow("does not exist");
});

it("freshDatabase leaks no data to the next caller and leaves no access to the previous one", async () => {
  const url = inject("postgresUrl");
  const before = await freshDatabase(url);
  const client = await connect(before.url);
  await client.query("create schema parley; create table parley.mine (id serial primary key)");
  await client.query("create function public.mine() returns int language sql as 'select 1'");
  const numbers =
    "select current_database() as name, oid from pg_database where datname = current_database()";
  const [was] = (await client.query(numbers)).rows;
  await client.end();
  await before.drop();
  await before.drop();
  for (const { url: next, drop } of await Promise.all([freshDatabase(url), freshDatabase(url)])) {
    const later = await connect(next);
    const [is] = (await later.query(numbers)).rows;
    expect(is.name).not.toBe(was.name);
    const own = "select nspname from pg_namespace where oid >= 16384";
    expect((await later.query(own)).rows).toEqual([]);
    await expect(later.query("select public.mine()")).rejects.toThrow("does not exist");
    await later.end();
    await drop();
  }
  await expect(connect(before.url)).rejects.toThrow("does not exist");
});

it("freshDatabase reuses emptied databases and drops unused ones", async () => {
  const server = await startPostgres({ settings: { max_connections: "20" } });
  onTestFinished(server.stop);
  const first = await freshDatabase(server.url);
  const oid = "select oid from pg_database where datname = current_database()";
  const oidOf = (url: string) => connected(url, async (client) => (await client.query(oid)).rows[0].oid);
  const given = await oidOf(first.url);
  await first.drop();
  const second = await freshDatabase(server.url);
  expect(await oidOf(second.url)).toBe(given);
  await second.drop();
  await dropEmptied(server.url);
  const left = "select datname from pg_database where starts_with(datname, 'parley')";
  expect(await connected(server.url, async (client) => (await client.query(left)).rows)).toEqual([]);
});
