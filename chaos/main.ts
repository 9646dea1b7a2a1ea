// `npm run chaos -- --seed N --minutes M [--keep FOLDER] [--json]`: see docs/chaos.md.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { smallDisk } from "@parley/testing/small-disk.ts";
import { readArguments } from "./chaos-arguments.ts";
import type { LoggedStream } from "./evidence/evidence.ts";
import { type Judgement, judge, reportOf } from "./report.ts";
import { runChaos } from "./run-chaos.ts";
import { SHOWN_BY } from "./schedule/directed-faults.ts";
import { schedule } from "./schedule/schedule.ts";

const given = readArguments(process.argv.slice(2));
const minutes = Math.ceil(given.lengthMs / 60_000);
/** Room for what a run of this length writes, and little more, so that filling it is quick. */
const SIZES = { postgres: `${64 + 12 * minutes}m`, harbour: `${24 + 4 * minutes}m` };
const LONG_MS = 300_000;
const inside = process.env.PARLEY_CHAOS_FOLDER;
const code = inside === undefined ? await withSmallDisks() : await inFolder(inside);
// Half-open connections left by faults would keep the process alive.
process.exit(code);

/** Runs this program again where two folders are small disks, which only it and its children see. */
async function withSmallDisks(): Promise<number> {
  const folder = given.keep ? resolve(given.keep) : mkdtempSync(join(tmpdir(), "parley-chaos-"));
  const disks = Object.entries(SIZES).map(([name, size]) => ({ path: join(folder, `disk-${name}`), size }));
  for (const { path } of disks) mkdirSync(path, { recursive: true });
  // Postgres runs as another user and needs access to its disk.
  chmodSync(folder, 0o711);
  const around = disks.flatMap(({ path, size }) => smallDisk(path, size));
  const [command = "", ...args] = [
    ...[...around, process.execPath, ...process.execArgv, fileURLToPath(import.meta.url)],
    ...process.argv.slice(2),
  ];
  const child = spawn(command, args, {
    env: { ...process.env, PARLEY_CHAOS_FOLDER: folder },
    stdio: "inherit",
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  const [code, signal] = await once(child, "exit");
  if (code === null) console.error(`Ended by ${signal} before there was a report`);
  if (code === 0 && !given.keep) rmSync(folder, { recursive: true, force: true });
  else console.log(`Logs and what clients saw: ${folder}`);
  return code ?? 1;
}

async function inFolder(folder: string): Promise<number> {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      console.error(`Stopped by ${signal} before there was a report`);
      process.exit(130);
    });
  const { seed, lengthMs, broken } = given;
  const disks = { postgres: join(folder, "disk-postgres"), harbour: join(folder, "disk-harbour") };
  const began = performance.now();
  const tell = (line: string) =>
    console.error(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${line}`);
  tell(`seed ${seed}`);
  const showing = broken && SHOWN_BY[broken];
  const evidence = await runChaos({
    ...{ folder, disks, seed, broken, tell, tokenEveryMs: 40 },
    ...(showing
      ? { lengthMs: 0, faults: [], directed: showing.faults, asks: showing.asks }
      : { lengthMs, faults: schedule(seed, lengthMs) }),
  });
  writeFileSync(join(folder, "streams.jsonl"), [...evidence.streams.values()].map(asLines).join(""));
  const judgements = judge(evidence);
  const report = reportOf(seed, evidence, judgements);
  console.log(report);
  writeFileSync(join(folder, "report.txt"), report);
  writeFileSync(join(folder, "judgements.json"), JSON.stringify(judgements, null, 2));
  // A run this long must exercise every invariant.
  const isLong = !broken && lengthMs >= LONG_MS;
  const isBad = ({ verdict }: Judgement) => verdict === "violated" || (isLong && verdict !== "holds");
  return judgements.some(isBad) ? 1 : 0;
}

/** A stream for searching: its name and an event per line. */
function asLines({ name, events }: LoggedStream): string {
  return events.map(({ index, at, json }) => `${JSON.stringify({ name, index, at })} ${json}\n`).join("");
}
