import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

/** The conformance agent in a process of its own. */
export interface AgentProcess {
  readonly url: string;
  /** Ends it without any chance to clean up. */
  kill(): Promise<void>;
}

/** Starts one on this data folder; it does not outlive the test. */
export async function startAgentProcess(folder: string): Promise<AgentProcess> {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, PORT: "0", PARLEY_DATA: folder, COALESCE: "off", PARLEY_LOG: "warn" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [printed] = await once(child.stdout, "data");
  const [url = ""] = /http:\/\/localhost:\d+/.exec(String(printed)) ?? [];
  const kill = async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { url, kill };
}
