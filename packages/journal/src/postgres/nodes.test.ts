import { setTimeout as sleep } from "node:timers/promises";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { codeOf, collect, readAll, upTo } from "../contract/journal-fixture.ts";
import * as errors from "../errors.ts";
import type { Journal } from "../journal.ts";
import { openPostgresJournal } from "./postgres-journal.ts";

describe("two nodes on one Postgres", () => {
  let url: string;
  let drop: () => Promise<void>;
  let one: Journal;
  let two: Journal;

  beforeEach(async () => {
    ({ url, drop } = await freshDatabase(inject("postgresUrl")));
    [one, two] = await Promise.all([openPostgresJournal({ url }), openPostgresJournal({ url })]);
  });
  afterEach(async () => {
    await Promise.all([one.close(), two.close()]);
    await drop();
  });

  /** Ends the server's side of connections, as a restart or a network would. */
  const cutConnections = async (condition: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND (${condition})`,
    );
    await client.end();
  };

  it("each reads at once what the other has written", async () => {
    await one.append("a", [1]);
    expect((await readAll(two, "a")).map(({ payload }) => payload)).toEqual([1]);
    await two.append("a", [2]);
    await one.append("a", [3]);
    expect((await readAll(two, "a")).map(({ payload }) => payload)).toEqual([1, 2, 3]);
    expect(await two.head("a")).toBe(3);
    const followed = collect(two, "a", 3, 1);
    await one.append("a", [4]);
    expect((await followed).map(({ payload }) => payload)).toEqual([4]);
  });

  it("tell each other by hints, sooner than a poll would", async () => {
    await one.append("a", [0]);
    const follower = collect(two, "a", 1, 20);
    await sleep(100);
    const start = performance.now();
    for (const n of upTo(20)) await one.append("a", [n]);
    expect((await follower).map(({ payload }) => payload)).toEqual(upTo(20));
    expect(performance.now() - start).toBeLessThan(900);
  });

  it("miss nothing when hints are lost: a poll finds it, and hints come back", async () => {
    await one.append("a", [0]);
    const follower = collect(two, "a", 1, 2);
    await sleep(50);
    await cutConnections("query LIKE 'LISTEN%' OR query LIKE '%pg_notify%'");
    await one.append("a", [1]);
    await sleep(2_500);
    await one.append("a", [2]);
    expect((await follower).map(({ payload }) => payload)).toEqual([1, 2]);
  });

  it("let exactly one of two win a race for an index", async () => {
    await one.append("a", [0]);
    for (const round of upTo(20)) {
      const race = await Promise.allSettled(
        [one, two].map((journal) => journal.append("a", ["x"], { expected: round, urgent: true })),
      );
      expect(race.map(codeOf).sort()).toEqual([round + 1, "index_conflict"]);
    }
  });

  it("end each other's followers when a stream is deleted, and refuse its cached name", async () => {
    await one.append("a", [1]);
    await two.append("a", [2]);
    const follower = collect(two, "a", 2, 1);
    const outcome = follower.catch((error: unknown) => error);
    await sleep(50);
    await one.delete("a");
    expect(await outcome).toBeInstanceOf(errors.StreamDeletedError);
    await expect(two.append("a", [3])).rejects.toBeInstanceOf(errors.StreamDeletedError);
    await expect(two.read("a", 0)).rejects.toBeInstanceOf(errors.UnknownStreamError);
  });

  it("read on when the other archives or trims what they were about to read", async () => {
    await one.append("a", upTo(3_000));
    expect((await two.read("a", 0, 10)).length).toBe(10);
    await one.archive("a");
    expect((await readAll(two, "a", 500)).map(({ payload }) => payload)).toEqual(upTo(3_000));
    await one.trim("a", 2_000);
    await expect(two.read("a", 10)).rejects.toBeInstanceOf(errors.EventsTrimmedError);
    expect(await two.append("a", ["next"])).toBe(3_001);
  });

  it("fence a lease that the other has released", async () => {
    const lease = await one.acquire("a");
    await two.append("a", ["x"]);
    await expect(two.acquire("a")).rejects.toBeInstanceOf(errors.LeaseHeldError);
    await lease.release();
    const taken = await two.acquire("a");
    await expect(one.append("a", ["stale"], { epoch: lease.epoch })).rejects.toBeInstanceOf(
      errors.FencedError,
    );
    expect(await two.append("a", ["y"], { epoch: taken.epoch })).toBe(2);
  });

  it("survive the loss of every connection: an append fails or is there, and the next ones work", async () => {
    await one.append("a", ["<first>"]);
    const appending = Promise.allSettled(
      upTo(200).map(async (n) => {
        await sleep(n);
        return one.append("a", [`<${n}>`]);
      }),
    );
    await sleep(60);
    await cutConnections("true");
    await sleep(60);
    await cutConnections("true");
    const outcomes = await appending;
    const codes = new Set(outcomes.filter(({ status }) => status === "rejected").map(codeOf));
    expect([...codes].filter((code) => code !== "storage_unavailable")).toEqual([]);
    expect(await one.append("a", ["<last>"])).toBeGreaterThan(1);
    const log = (await readAll(two, "a")).map(({ payload }) => payload);
    expect(new Set(log).size).toBe(log.length);
    for (const [n, outcome] of outcomes.entries()) {
      if (outcome.status === "fulfilled") expect(log[outcome.value - 1]).toBe(`<${n + 1}>`);
    }
  });
});
