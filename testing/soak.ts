// `npm run soak -- [--minutes N] [NAME …]`: the long variants of tests, one stage after the other, in a bounded time.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";

interface Stage {
  /** What the paths of its test files contain. */
  readonly files: readonly string[];
  /** How long its variants are. */
  readonly environment: Readonly<Record<string, string>>;
}

const STAGES: Readonly<Record<string, Stage>> = {
  kills: {
    files: ["kill"],
    environment: {
      ...{ PARLEY_KILLS: "500", PARLEY_AGENT_KILLS: "200", PARLEY_GATEWAY_KILLS: "100" },
      PARLEY_SUPERVISOR_KILLS: "100",
    },
  },
  fuzz: {
    files: ["fuzz", "api-application", "markdown-stream.test"],
    environment: { PARLEY_FUZZ: "100000", PARLEY_MARKDOWN: "20000" },
  },
  cuts: { files: ["client-cuts", "client/src/tabs", "sync-engine"], environment: { PARLEY_CUTS: "6000" } },
  nodes: {
    files: ["conformance/nodes"],
    environment: { PARLEY_TAKEOVERS: "30", PARLEY_OUTAGE: "60", PARLEY_RESTARTS: "5" },
  },
  histories: {
    files: ["histories", "records/forks", "session-tables", "reduce.property"],
    environment: { PARLEY_HISTORIES: "120" },
  },
  chaos: {
    files: ["chaos/chaos.test", "chaos/broken-builds"],
    environment: { PARLEY_CHAOS_MINUTES: "10", PARLEY_BROKEN_BUILDS: "3" },
  },
};

const vitest = join(import.meta.dirname, "..", "node_modules", "vitest", "vitest.mjs");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: "string", default: "60" } },
});
const minutes = Number(values.minutes);
const unknown = positionals.filter((name) => !Object.hasOwn(STAGES, name));
if (!(minutes > 0) || unknown.length > 0) {
  console.error(`Usage: npm run soak -- [--minutes N] [${Object.keys(STAGES).join("] [")}]`);
  process.exit(2);
}
const chosen = Object.entries(STAGES).filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
);
const seed = process.env.PARLEY_SEED ?? String(Date.now() % 1_000_000);
const end = performance.now() + minutes * 60_000;
const outcomes: string[] = [];
for (const [place, [name, stage]] of chosen.entries()) {
  // What a stage leaves of its share goes to those after it.
  const share = (end - performance.now()) / (chosen.length - place);
  const began = performance.now();
  const code = await runStage(stage, share);
  const took = `${((performance.now() - began) / 60_000).toFixed(1)} min`;
  outcomes.push(
    code === null ? `… ${name}: time was up after ${took}` : `${code === 0 ? "✓" : "✗"} ${name} ${took}`,
  );
  if (code) process.exitCode = 1;
}
console.log(`\nsoak with PARLEY_SEED=${seed}:\n${outcomes.map((line) => `  ${line}`).join("\n")}`);

/** The exit code of a stage's tests, or null when its time was up first. */
async function runStage({ files, environment }: Stage, milliseconds: number): Promise<number | null> {
  const child = spawn(process.execPath, [vitest, "run", ...files], {
    env: { ...process.env, PARLEY_SEED: seed, PARLEY_CHAOS_SEED: seed, ...environment },
    stdio: "inherit",
    // A group of its own, so that its workers end with it.
    detached: true,
  });
  const end = (signal: NodeJS.Signals) => process.kill(-(child.pid ?? 0), signal);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => end(signal));
  let isUp = false;
  const timer = setTimeout(() => {
    isUp = true;
    end("SIGKILL");
  }, milliseconds);
  const [code] = (await once(child, "exit")) as [number | null];
  clearTimeout(timer);
  return isUp ? null : (code ?? 1);
}
