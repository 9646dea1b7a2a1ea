import { Client } from "pg";
import { expect, inject, it } from "vitest";
import { freshDatabase } from "./fresh-database.ts";

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

it("gives each caller a database of its own and drops it under an open connection", async () => {
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
