import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bareEnvironment } from "@parley/testing/bare-environment.ts";
import { freePortRange } from "@parley/testing/free-ports.ts";
import { SERVER_PROGRAM } from "@parley/testing/server-program.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
/** The ports of agents, counted from the main one. */
const AGENT_PORTS = 12;

/** The whole platform as `npm start` runs it, in a process of its own, with a copy of the agents' folder. */
export interface PlatformProcess {
  readonly url: string;
  /** The folder of `agents.json`. */
  readonly agentsFolder: string;
  /** The files that the agent `files` serves. */
  readonly demoFolder: string;
  /** What it printed when it had started. */
  readonly report: string;
  /** The address of a shipped agent, by its place behind the main port. */
  agentUrl(place: number): string;
  /** Its resident memory in MB. */
  residentMb(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts it on a free range of ports, with the offline model and no other; resolves when its agents are up. */
export async function startPlatformProcess(
  environment: Readonly<Record<string, string>> = {},
): Promise<PlatformProcess> {
  const port = await freePortRange(AGENT_PORTS);
  const folder = await mkdtemp(join(tmpdir(), "parley-scene-"));
  const agentsFolder = join(folder, "agents");
  // Agents may write to the demo's files, after asking: those of a test are its own.
  for (const copied of ["agents", "demo"])
    await cp(join(ROOT, copied), join(folder, copied), { recursive: true });
  await symlink(join(ROOT, "mcp-servers"), join(folder, "mcp-servers"));
  const child = spawn(process.execPath, [SERVER_PROGRAM], {
    env: {
      ...{
        ...bareEnvironment(),
        HOME: folder,
        PORT: String(port),
        PARLEY_LOG: "warn",
        PARLEY_MODEL: "offline",
        PARLEY_CARD_AGENTS: "on",
      },
      ...{ PARLEY_DATA: join(folder, "data"), PARLEY_AGENTS: agentsFolder },
      ...environment,
    },
    // In a folder without a `.env`, which would not be the test's.
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const gone = once(child, "close");
  let output = "";
  let printed = "";
  child.stdout.on("data", (text) => (printed += text));
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const stop = async () => {
    child.kill("SIGTERM");
    await gone;
    await rm(folder, { recursive: true, force: true });
  };
  // The last line of its report.
  while (!/^ {2}try/m.test(output)) {
    const ended = await Promise.race([gone, once(child.stdout, "data").then(() => undefined)]);
    if (ended) throw new Error(`The platform did not start: ${output}`);
  }
  return {
    url: `http://localhost:${port}`,
    agentsFolder,
    demoFolder: join(folder, "demo"),
    report: printed.replace(/^.*building the web client.*\n/gm, ""),
    agentUrl: (place) => `http://localhost:${port + place}`,
    async residentMb() {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8");
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
    stop,
  };
}
