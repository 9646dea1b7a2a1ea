import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bareEnvironment } from "@parley/testing/bare-environment.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

/** An agent in a process of its own, which can be killed as by a crash. */
export interface AgentProcess {
  readonly url: string;
  /** 0 where it has none. */
  readonly grpcPort: number;
  /** Its standard error so far: its internal errors. */
  complaints(): string;
  /** Its resident memory in MB. */
  residentMb(): number;
  /** The processor time that it has used so far. */
  cpuMs(): number;
  /** kill −9; resolves when the process is gone. */
  kill(): Promise<void>;
}

/**
 * Starts the conformance agent on this data folder, or in memory, every chunk an event of its own; or another program
 * with its arguments, which prints its URL.
 */
export async function startAgentProcess(
  folder?: string,
  program: readonly string[] = [MAIN],
): Promise<AgentProcess> {
  const child = spawn(process.execPath, program, {
    env: {
      ...bareEnvironment(),
      PORT: "0",
      COALESCE: "off",
      PARLEY_LOG: "error",
      ...(folder ? { PARLEY_DATA: folder } : { JOURNAL: "memory" }),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaints = "";
  child.stderr.on("data", (text) => {
    complaints += text;
  });
  // It ends with the tests, however they end.
  process.once("exit", () => child.kill("SIGKILL"));
  const gone = once(child, "exit");
  const started = await Promise.race([once(child.stdout, "data"), gone.then(() => undefined)]);
  if (!started) throw new Error(`The agent did not start: ${complaints}`);
  const [url = ""] = /http:\/\/localhost:\d+/.exec(String(started[0])) ?? [];
  return {
    url,
    grpcPort: Number(/gRPC :(\d+)/.exec(String(started[0]))?.[1] ?? 0),
    complaints: () => complaints,
    residentMb: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024,
    cpuMs: () => {
      const [, rest = ""] = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ");
      const [user = 0, system = 0] = rest.split(" ").slice(11, 13).map(Number);
      // In hundredths of a second, whatever the kernel's own clock is.
      return (user + system) * 10;
    },
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
