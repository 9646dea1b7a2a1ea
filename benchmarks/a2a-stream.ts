// npm run bench -- a2a-stream [--rounds N]: streamed answers beside the ceiling of node:http and the official SDK.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { residentWhile } from "./a2a-stream/memory.ts";
import { atLeast, atMost, type Bar, finish, median, print, progress, round } from "./report/bars.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const rounds = Math.max(1, Number(values.rounds) || 5);
const run = promisify(execFile);

type Contestant = "ceiling" | "memory" | "sqlite" | "sqlite, coalescing" | "sdk";

const folder = mkdtempSync(join(tmpdir(), "parley-bench-"));

/** The command of each server; clients run in yet another process. */
const SERVERS: Record<Contestant, { program: string; environment?: Record<string, string> }> = {
  ceiling: { program: "a2a-stream/ceiling-server.ts" },
  memory: { program: "../conformance/main.ts", environment: { JOURNAL: "memory", COALESCE: "off" } },
  sqlite: { program: "../conformance/main.ts", environment: { COALESCE: "off", PARLEY_DATA: folder } },
  "sqlite, coalescing": { program: "../conformance/main.ts" },
  sdk: { program: "a2a-stream/sdk-server.ts" },
};

const running = new Map<Contestant, { child: ChildProcess; url: string }>();
for (const [name, { program, environment }] of Object.entries(SERVERS)) {
  const child = spawn(process.execPath, [pathOf(program)], {
    env: { PATH: process.env.PATH, PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed] = await once(child.stdout, "data");
  running.set(name as Contestant, { child, url: /http:\/\/localhost:\d+/.exec(String(printed))?.[0] ?? "" });
}

try {
  finish("a2a-stream", await measureAll());
} finally {
  const ended = [...running.values()].map(({ child }) => once(child, "exit"));
  for (const { child } of running.values()) child.kill("SIGTERM");
  await Promise.all(ended);
  rmSync(folder, { recursive: true, force: true });
}

async function measureAll(): Promise<Bar[]> {
  const rates = new Map<string, number>();
  const bytes = await bytesPerChunk();
  print({ storedBytesPerChunk: round(bytes) });
  for (const streams of [1, 50]) {
    for (const chunks of [500, 2_000, 8_000]) {
      for (const name of running.keys()) {
        if (name === "sdk" && chunks > 2_000) continue; // its cost is quadratic
        const patience = name === "sdk" && streams * chunks > 25_000 ? " (takes some minutes)" : "";
        progress(`${name}: ${streams} × ${chunks}${patience}`);
        rates.set(`${name} ${streams} ${chunks}`, await chunksPerSecond(name, streams, chunks));
      }
    }
  }
  const rate = (key: string) => rates.get(key) ?? Number.NaN;
  return [
    atLeast("sqlite of the ceiling at 50 streams", rate("sqlite 50 2000") / rate("ceiling 50 2000"), 0.5),
    atLeast(
      "sqlite as a multiple of the SDK at 2,000 chunks",
      rate("sqlite 1 2000") / rate("sdk 1 2000"),
      100,
    ),
    atMost("marginal cost of 4,000 to 8,000 chunks, of that of 2,000 to 4,000", await marginalCost(), 1.2),
    atMost("megabytes that one stalled reader adds", await stalledReader(), 32),
  ];
}

async function chunksPerSecond(name: Contestant, streams: number, chunks: number): Promise<number> {
  const measured = [];
  for (let n = 0; n < (name === "sdk" ? 1 : rounds); n++) measured.push(await stream(name, streams, chunks));
  const rate = median(measured.map(({ milliseconds }) => (streams * chunks) / (milliseconds / 1_000)));
  const frames = median(measured.map((one) => one.frames));
  print({ contestant: name, streams, chunks, chunksPerSecond: Math.round(rate), frames });
  return rate;
}

/** (t8000 − t4000) / 4000 over (t4000 − t2000) / 2000, each the best of the rounds. */
async function marginalCost(): Promise<number> {
  const best = async (chunks: number) => {
    const times = [];
    for (let n = 0; n < rounds; n++) times.push((await stream("sqlite", 1, chunks)).milliseconds);
    return Math.min(...times);
  };
  const [short, middle, long] = [await best(2_000), await best(4_000), await best(8_000)];
  print({ milliseconds: { 2000: round(short), 4000: round(middle), 8000: round(long) } });
  return (long - middle) / 4_000 / ((middle - short) / 2_000);
}

/** Memory with a stalled reader, minus memory with one that reads everything. */
async function stalledReader(): Promise<number> {
  const { url = "", child } = running.get("sqlite") ?? {};
  const measure = { url, pid: child?.pid ?? 0, chunks: 100_000 };
  progress("sqlite: a stalled reader");
  await residentWhile(measure, "normal"); // the first stream pays one-time costs
  const normal = await residentWhile(measure, "normal");
  const stalled = await residentWhile(measure, "stalled");
  print({ residentMegabytes: { normal: round(normal), stalled: round(stalled) } });
  return Math.max(0, stalled - normal);
}

/** Growth of the database file, all tables and indexes included. */
async function bytesPerChunk(): Promise<number> {
  const chunks = 20_000;
  const before = databaseBytes();
  await stream("sqlite", 1, chunks);
  return (databaseBytes() - before) / chunks;
}

function databaseBytes(): number {
  const database = new DatabaseSync(join(folder, "journal.db"), { readOnly: true });
  const { pages } = database
    .prepare("SELECT page_count * page_size AS pages FROM pragma_page_count, pragma_page_size")
    .get() as { pages: number };
  database.close();
  return pages;
}

async function stream(name: Contestant, streams: number, chunks: number) {
  const { url = "" } = running.get(name) ?? {};
  const { stdout } = await run(process.execPath, [
    pathOf("a2a-stream/client.ts"),
    url,
    String(streams),
    String(chunks),
  ]);
  return JSON.parse(stdout) as { frames: number; bytes: number; milliseconds: number };
}

function pathOf(program: string): string {
  return fileURLToPath(new URL(program, import.meta.url));
}
