// npm run bench -- all [NAME …]: every benchmark, or those named, one after the other, and their bars into the table of docs/benchmarks.md.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, platform, totalmem } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { type Bar, progress } from "./report/bars.ts";
import { type BenchResult, withResults } from "./report/bench-table.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { into: { type: "string", default: join(import.meta.dirname, "../docs/benchmarks.md") } },
});
const known = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "all.ts")
  .map((file) => file.slice(0, -".ts".length));
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no benchmark ${unknown.join(", ")}: use some of ${known.join(", ")}.\n`);
  process.exit(1);
}

const names = positionals.length > 0 ? positionals : known;
const results: BenchResult[] = [];
for (const [place, name] of names.entries()) {
  progress(`${name} (${place + 1} of ${names.length})`);
  results.push({ bench: name, bars: await barsOf(name) });
}
const text = withResults(readFileSync(values.into, "utf8"), results, {
  date: new Date().toISOString().slice(0, 10),
  machine: machine(),
});
writeFileSync(values.into, text);
progress(`the table is in ${values.into}`);
if (results.some(({ bars }) => !bars || bars.some(({ ok }) => !ok))) process.exitCode = 1;

/** Runs one benchmark in its own process and forwards its figures; its last line holds the bars. */
async function barsOf(name: string): Promise<readonly Bar[] | undefined> {
  const child = spawn(process.execPath, [...process.execArgv, join(import.meta.dirname, `${name}.ts`)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let bars: readonly Bar[] | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    const figure = JSON.parse(line);
    if (figure.bench === name) bars = figure.bars;
  }
  return bars;
}

function machine(): string {
  const all = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const cores = `${all.length} × ${all[0]?.model.trim() ?? "an unknown processor"}`;
  return `${cores}, ${gigabytes} GB, ${platform()} ${arch()}, Node ${process.versions.node}`;
}
