import { setTimeout as sleep } from "node:timers/promises";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { codeOf, collect, readAll, upTo } from "../contract/journal-fixture.ts";
import * as errors from "../errors.ts";
import type { Journal } from "../journal.ts";
import type { Projection } from "../projection.ts";
import type { SqlRunner } from "../sql-database.ts";
import { refusingServer } from "../testing/refusing-server.ts";
import { silentProxy } from "../testing/silent-proxy.ts";
import { PostgresDatabase } from "./postgres-database.ts";
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

  it("read at once what the other has written", async () => {
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

  it("notify each other by hints, sooner than a poll would", async () => {
    // It does not poll while this test runs.
    const listener = await openPostgresJournal({ url, pollEveryMs: 3_600_000 });
    try {
      // Until it listens, nobody tells it anything.
      const first = collect(listener, "a", await one.append("a", ["first"]), 1);
      let isHeard = false;
      void first.then(() => (isHeard = true));
      for (; !isHeard; await sleep(50)) await one.append("a", ["again"]);
      const follower = collect(listener, "a", await one.head("a"), 20);
      for (const n of upTo(20)) await one.append("a", [n]);
      expect((await follower).map(({ payload }) => payload)).toEqual(upTo(20));
    } finally {
      await listener.close();
    }
  });

  it("find events by polling while hints are lost, and use hints again afterwards", async () => {
    await one.append("a", [0]);
    const follower = collect(two, "a", 1, 2);
    await sleep(50);
    await cutConnections("query LIKE 'LISTEN%' OR query LIKE '%pg_notify%'");
    await one.append("a", [1]);
    await sleep(2_500);
    await one.append("a", [2]);
    expect((await follower).map(({ payload }) => payload)).toEqual([1, 2]);
  });

  it("let exactly one of two racing appends have an index", async () => {
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

  it("keep reading when the other archives or trims what they were about to read", async () => {
    await one.append("a", upTo(3_000));
    expect((await two.read("a", 0, 10)).length).toBe(10);
    await one.archive("a");
    expect((await readAll(two, "a", 500)).map(({ payload }) => payload)).toEqual(upTo(3_000));
    await one.trim("a", 2_000);
    await expect(two.read("a", 10)).rejects.toBeInstanceOf(errors.EventsTrimmedError);
    expect(await two.append("a", ["next"])).toBe(3_001);
  });

  it("fence a writer whose successor has not written yet", async () => {
    const lease = await one.acquire("a");
    await one.append("a", [1], { epoch: lease.epoch });
    await two.database.query("UPDATE streams SET lease_until = clock_timestamp() - interval '1 s'");
    await two.acquire("a");
    await expect(one.append("a", ["stale"], { epoch: lease.epoch })).rejects.toBeInstanceOf(
      errors.FencedError,
    );
  });

  it("report a trim by the other as an error, not as a gap", async () => {
    await one.append("a", upTo(5));
    await two.read("a", 0);
    await one.trim("a", 3);
    await expect(two.read("a", 1)).rejects.toBeInstanceOf(errors.EventsTrimmedError);
  });

  it("cut a follower at its own cursor, so that nothing is delivered twice", async () => {
    await two.close();
    two = await openPostgresJournal({ url, pollEveryMs: 60_000 });
    await one.append("a", upTo(1_500));
    const reader = two.follow("a", 0)[Symbol.asyncIterator]();
    const seen: number[] = [];
    const take = async () => {
      const next = await reader.next();
      if (!next.done) seen.push(...next.value.map(({ index }) => index));
    };
    await take();
    await cutConnections("query LIKE 'LISTEN%' OR query LIKE '%pg_notify%'");
    await one.append("a", upTo(100));
    await one.archive("a");
    // The hint of the append is lost; this one comes when what it speaks of has left the table.
    await sleep(1_500);
    const [row] = await one.database.query("SELECT id FROM streams WHERE name = 'a'");
    await one.database.query("SELECT pg_notify('parley_hints', $1)", [`someone ${row?.id}:1600`]);
    await sleep(100);
    const cut = await (async () => {
      for (;;) await take();
    })().catch((error: unknown) => error);
    expect(cut).toMatchObject({ code: "follower_cut", resumeAfter: seen.at(-1) });
  });

  it("ignore invalid hints", async () => {
    await one.append("a", [1]);
    const follower = collect(two, "a", 1, 1);
    await sleep(50);
    for (const payload of ["x 1:abc", "x", "", "x 1:-5,1:1e999,NaN:NaN", "x 1"]) {
      await one.database.query("SELECT pg_notify('parley_hints', $1)", [payload]);
    }
    await sleep(50);
    await one.append("a", [2]);
    expect((await follower).map(({ payload }) => payload)).toEqual([2]);
  });

  it("retry a deletion after a deadlock", async () => {
    const rows = ["x", "y"];
    const touch = async (transaction: SqlRunner, order: readonly string[], pause: number) => {
      for (const row of order) {
        await transaction.query("UPDATE counts SET n = n + 1 WHERE k = $1", [row]);
        await sleep(pause);
      }
    };
    const crossing: Projection = {
      name: "counts",
      migrations: [
        {
          sqlite: "",
          postgres: "CREATE TABLE counts (k text, n int); INSERT INTO counts VALUES ('x', 0), ('y', 0)",
        },
      ],
      wants: ({ stream }) => stream === "b",
      apply: (transaction) => touch(transaction, rows.toReversed(), 200),
      deleted: (transaction) => touch(transaction, rows, 100),
    };
    const journal = await openPostgresJournal({ url, projections: [crossing] });
    await journal.append("a", [1]);
    const both = await Promise.allSettled([journal.delete("a"), journal.append("b", [1], { urgent: true })]);
    expect(both.map(codeOf)).toEqual([undefined, 1]);
    await journal.close();
  });

  it("fail while the server is silent, and work again when it answers", async () => {
    const proxy = await silentProxy(url);
    const journal = await openPostgresJournal({ url: proxy.url, answerWithinMs: 3_000 });
    await journal.append("a", [1]);
    proxy.silence(true);
    await expect(journal.append("a", [2])).rejects.toBeInstanceOf(errors.StorageUnavailableError);
    proxy.silence(false);
    await expect.poll(() => journal.append("a", [3]).catch(() => 0), { timeout: 60_000 }).toBeGreaterThan(1);
    await journal.close();
    proxy.close();
  });

  it("take no lease by a request that has timed out", async () => {
    const impatient = await openPostgresJournal({ url, answerWithinMs: 500 });
    await two.append("a", [1]);
    const locker = new pg.Client({ connectionString: url });
    await locker.connect();
    await locker.query("BEGIN");
    await locker.query("SELECT 1 FROM parley.streams WHERE name = 'a' FOR UPDATE");
    await expect(impatient.acquire("a")).rejects.toBeInstanceOf(errors.StorageUnavailableError);
    await locker.query("COMMIT");
    await locker.end();
    await (await two.acquire("a")).release();
    await impatient.close();
  });

  it.each([
    ["is unavailable", "XX000", "could not write init file"],
    ["is unavailable", "58030", "could not read block 3"],
    ["is what is wrong", "28P01", "password authentication failed"],
  ])("know that a server which ends their sessions %s (%s)", async (what, code, message) => {
    const server = await refusingServer(url, { severity: "FATAL", code, message });
    const database = new PostgresDatabase({
      ...{ url: server.url, connections: 1, idleInTransactionMs: 1_000, answerWithinMs: 20_000 },
    });
    const isUnavailable = await database
      .query("SELECT 1")
      .catch((error: unknown) => error instanceof errors.StorageUnavailableError);
    expect(isUnavailable).toBe(what === "is unavailable");
    await database.close();
    server.close();
  });

  it("report a transaction that a failed statement has ended as not committed", async () => {
    const careless = one.database.transaction(async (transaction) => {
      await transaction.query("SELECT 1/0").catch(() => {});
    });
    await expect(careless).rejects.toThrow("division by zero");
  });

  it("keep our settings even if the URL has its own", async () => {
    const address = new URL(url);
    address.searchParams.set("options", "-c search_path=public -c synchronous_commit=off");
    const journal = await openPostgresJournal({ url: address.href });
    const [row] = await journal.database.query(
      "SELECT current_setting('search_path') AS path, current_setting('synchronous_commit') AS sync",
    );
    expect(row).toEqual({ path: "parley", sync: "on" });
    await journal.close();
  });

  it("append while other queries keep the tables busy", async () => {
    await one.append("a", [1]);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query("SELECT pg_advisory_lock(1)");
    let ended = 0;
    const busy = Array.from({ length: 12 }, () =>
      one.database.transaction(async (transaction) => {
        await transaction.query("SELECT pg_advisory_xact_lock_shared(1)");
        ended++;
      }),
    );
    await sleep(50);
    await one.append("a", [2]);
    expect(ended).toBe(0);
    await other.query("SELECT pg_advisory_unlock(1)");
    await Promise.all(busy);
    await other.end();
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

  it("survive the loss of every connection: an append fails or is recorded, and the next ones work", async () => {
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
    // Whether a connection is dead is sometimes only seen when it is used.
    let attempt = 0;
    const next = () => one.append("a", [`<after ${attempt++}>`]).catch(() => 0);
    await expect.poll(next).toBeGreaterThan(1);
    const log = (await readAll(two, "a")).map(({ payload }) => payload);
    expect(new Set(log).size).toBe(log.length);
    for (const [n, outcome] of outcomes.entries()) {
      if (outcome.status === "fulfilled") expect(log[outcome.value - 1]).toBe(`<${n + 1}>`);
    }
  });
});
