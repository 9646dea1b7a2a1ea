import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { SqliteConnection } from "./connection.ts";

it("SqliteConnection binds $1, $2 … wherever and however often they stand", async () => {
  const connection = new SqliteConnection(new DatabaseSync(":memory:"), "memory");
  const sql = "SELECT $2 AS b, $1 AS a, $2 AS again, '?' AS mark, $11 AS missing";
  const expected = [{ b: 2, a: "one", again: 2, mark: "?", missing: null }];
  for (let count = 0; count < 2; count++) expect(await connection.query(sql, ["one", 2])).toEqual(expected);
});

it("SqliteConnection binds many parameters in a time that grows with their number", async () => {
  const connection = new SqliteConnection(new DatabaseSync(":memory:"), "memory");
  const cpu = async (count: number) => {
    const parameters = Array.from({ length: count }, (_, place) => place);
    const sql = `SELECT ${parameters.map((place) => `$${place + 1}`).join(" + ")} AS sum`;
    await connection.query(sql, parameters);
    const before = process.cpuUsage();
    for (let time = 0; time < 200_000 / count; time++) await connection.query(sql, parameters);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  await cpu(50);
  // The same number of parameters in all: by their names they would take several times as long.
  expect(await cpu(800)).toBeLessThan(4 * (await cpu(50)));
});
