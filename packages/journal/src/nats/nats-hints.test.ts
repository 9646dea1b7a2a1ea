import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@parley/testing/free-ports.ts";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { systemTool } from "@parley/testing/system-tool.ts";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { collect, upTo } from "../contract/journal-fixture.ts";
import type { Journal } from "../journal.ts";
import { openPostgresJournal } from "../postgres/postgres-journal.ts";

const NEVER_MS = 600_000;

describe("two nodes on one Postgres, with hints over NATS (+12)", () => {
  let url: string;
  let drop: () => Promise<void>;
  let port: number;
  const servers: ChildProcess[] = [];
  const journals: Journal[] = [];

  const startNats = async (...more: readonly string[]) => {
    const args = ["--addr", "127.0.0.1", "--port", String(port), ...more];
    const server = spawn(systemTool("nats-server"), args, {
      stdio: ["ignore", "ignore", "pipe"],
    });
    servers.push(server);
    let said = "";
    // To its end: a server that nobody hears any more dies of its next word.
    server.stderr.on("data", (data) => {
      said += data;
    });
    await expect.poll(() => said, { timeout: 60_000 }).toContain("Server is ready");
    return server;
  };
  const stopNats = async (server: ChildProcess) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill("SIGKILL");
    await once(server, "exit");
  };
  /** A node that never polls finds what others write by hints alone. */
  const node = async (pollEveryMs = NEVER_MS) => {
    const natsUrl = `nats://127.0.0.1:${port}`;
    const journal = await openPostgresJournal({ url, natsUrl, pollEveryMs });
    journals.push(journal);
    return journal;
  };
  const payloads = async (followed: ReturnType<typeof collect>) =>
    (await followed).map(({ payload }) => payload);
  /** Hints that were said before the other listened are lost, as they may be: said again until one is heard. */
  const heard = async (writer: Journal, reader: Journal, stream: string) => {
    const head = await writer.append(stream, ["first"]);
    const one = collect(reader, stream, head, 1);
    let isHeard = false;
    void one.then(() => (isHeard = true));
    while (!isHeard) {
      await writer.append(stream, ["again"]);
      await sleep(50);
    }
  };

  beforeEach(async () => {
    ({ url, drop } = await freshDatabase(inject("postgresUrl")));
    port = await freePort();
  });
  afterEach(async () => {
    await Promise.all(journals.splice(0).map((journal) => journal.close()));
    await Promise.all(servers.splice(0).map(stopNats));
    await drop();
  });

  it("they tell each other, and the database is not used for it", async () => {
    await startNats();
    const [one, two] = [await node(), await node()];
    await heard(one, two, "a");
    const head = await one.append("a", ["x"]);
    const follower = collect(two, "a", head, 20);
    for (const n of upTo(20)) await one.append("a", [n]);
    expect(await payloads(follower)).toEqual(upTo(20));
    const [row] = await one.database.query(
      "SELECT count(*)::int AS listeners FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
    );
    expect(row?.listeners).toBe(0);
  });

  it("nothing is lost while the server is away: a poll finds it, and hints come back with the server", async () => {
    const [one, two] = [await node(200), await node(200)];
    await one.append("a", [0]);
    const early = collect(two, "a", 1, 2);
    for (const n of upTo(2)) await one.append("a", [n]);
    expect(await payloads(early)).toEqual([1, 2]);
    const first = await startNats();
    const [three, four] = [await node(), await node()];
    await heard(three, four, "b");
    await stopNats(first);
    const polled = collect(two, "a", 3, 2);
    for (const n of [3, 4]) await three.append("a", [n]);
    expect(await payloads(polled)).toEqual([3, 4]);
    await startNats();
    await heard(three, four, "b");
  });

  it("says once why hints do not come, without what opens the server, and that they come again when they do", async () => {
    const told: (string | undefined)[] = [];
    const natsUrl = `nats://me:wrong-secret@127.0.0.1:${port}`;
    const onHintTrouble = (trouble: string | undefined) => told.push(trouble);
    journals.push(await openPostgresJournal({ url, natsUrl, pollEveryMs: 200, onHintTrouble }));
    const [journal] = journals as [Journal];
    const away = `the NATS server at 127.0.0.1:${port} cannot be reached: start it, or correct its address`;
    const locked = `the NATS server at 127.0.0.1:${port} does not let us in: correct user and password`;
    await expect.poll(() => told, { timeout: 60_000 }).toEqual([away]);
    const locking = await startNats("--user", "me", "--pass", "right-secret");
    await expect.poll(() => told, { timeout: 60_000 }).toEqual([away, locked]);
    await stopNats(locking);
    await expect.poll(() => told, { timeout: 60_000 }).toEqual([away, locked, away]);
    const open = await startNats("--user", "me", "--pass", "wrong-secret");
    await expect.poll(() => told, { timeout: 60_000 }).toEqual([away, locked, away, undefined]);
    await stopNats(open);
    await expect.poll(() => told, { timeout: 60_000 }).toEqual([away, locked, away, undefined, away]);
    // Whatever becomes of hints, nothing is lost.
    expect(await journal.append("b", [1])).toBe(1);
  });

  it("closes although no server was ever there", async () => {
    const one = await node();
    await one.append("a", [1]);
    await one.close();
  });
});
