import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ApiClient } from "@parley/client";
import { bareEnvironment } from "@parley/testing/bare-environment.ts";
import { freePortRange } from "@parley/testing/free-ports.ts";
import { ScriptedAgent } from "@parley/testing/scripted-agent.ts";
import { afterAll, beforeAll } from "vitest";
import { TerminalProcess } from "./terminal-process.ts";

const ROOT = resolve(import.meta.dirname, "../../../../..");
const PLATFORM = join(import.meta.dirname, "platform-program.ts");
const PARLEY = join(ROOT, "packages/cli/src/main.ts");
/** The ports of the shipped agents, counted from the platform's own. */
const SHIPPED_PORTS = 10;

/** How a command ended that ran without a terminal. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** For tests: a real platform process with three shipped agents, the scripted `speaker` and the unreachable `absent`. */
export class TalkGround {
  readonly url: string;
  readonly client: ApiClient;
  readonly speaker: ScriptedAgent;
  readonly #folder: string;
  readonly #children: ChildProcess[] = [];
  #server: ChildProcess | undefined;

  private constructor(port: number, folder: string, speaker: ScriptedAgent) {
    this.url = `http://localhost:${port}`;
    this.client = new ApiClient({ baseUrl: this.url });
    this.#folder = folder;
    this.speaker = speaker;
  }

  static async open(): Promise<TalkGround> {
    const folder = await mkdtemp(join(tmpdir(), "parley-talk-"));
    const speaker = await ScriptedAgent.start();
    await mkdir(join(folder, "agents"));
    const program = (name: string, ...args: readonly string[]) => ({
      ...{ command: "node", args: [join(ROOT, "mcp-servers", name, "main.ts"), ...args] },
    });
    const mcpServers = {
      version_service: program("argocd", "version"),
      application_service: program("argocd", "application"),
      calculator: program("calculator"),
      charts: program("charts"),
    };
    const agents = { speaker: { url: speaker.url }, absent: { url: "http://localhost:1" } };
    await writeFile(join(folder, "agents/mcp.json"), JSON.stringify({ mcpServers }));
    await writeFile(join(folder, "agents/agents.json"), JSON.stringify({ agents }));
    for (const name of ["argocd.md", "calculator.md", "charts.md"])
      await copyFile(join(ROOT, "agents", name), join(folder, "agents", name));
    const ground = new TalkGround(await freePortRange(SHIPPED_PORTS), folder, speaker);
    await ground.startServer();
    return ground;
  }

  /** Starts the server, again on the same port and data after it was killed; resolves when its agents are up. */
  async startServer(): Promise<void> {
    const child = spawn(process.execPath, [PLATFORM], {
      env: {
        ...{
          ...bareEnvironment(),
          PORT: new URL(this.url).port,
          PARLEY_MODEL: "offline",
          PARLEY_LOG: "warn",
        },
        ...{ PARLEY_DATA: join(this.#folder, "data"), PARLEY_AGENTS: join(this.#folder, "agents") },
      },
      cwd: this.#folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#server = child;
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    while (!output.includes("ready")) {
      if (child.exitCode !== null) throw new Error(`The server ended: ${output}`);
      await Promise.race([once(child, "close"), once(child.stdout, "data")]);
    }
  }

  /** As the power does: nothing is put in order. */
  async killServer(): Promise<void> {
    const child = this.#server;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "close");
    child.kill("SIGKILL");
    await gone;
  }

  /** A command in a terminal. */
  terminal(args: readonly string[], environment: Readonly<Record<string, string>> = {}): TerminalProcess {
    return new TerminalProcess([process.execPath, PARLEY, ...args], { PARLEY_URL: this.url, ...environment });
  }

  /** A line of a shell in a terminal, which calls the command `$PARLEY`. */
  shell(line: string): TerminalProcess {
    const command = `${process.execPath} ${PARLEY}`;
    return new TerminalProcess(["sh", "-c", line], { PARLEY_URL: this.url, PARLEY: command });
  }

  /** A running command without a terminal; an `OPEN` input is never closed. */
  start(args: readonly string[], input = ""): ChildProcess {
    const child = spawn(process.execPath, [PARLEY, ...args], {
      env: { ...bareEnvironment(), PARLEY_URL: this.url },
      stdio: ["pipe", "pipe", "pipe"],
    });
    if (input !== OPEN) child.stdin.end(input);
    this.#children.push(child);
    return child;
  }

  /** A command without a terminal, to its end. */
  async run(args: readonly string[], input = ""): Promise<Ended> {
    const child = this.start(args, input);
    let [output, errors] = ["", ""];
    child.stdout?.on("data", (text) => (output += text));
    child.stderr?.on("data", (text) => (errors += text));
    const [code] = await once(child, "close");
    return { code, output, errors };
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    await this.speaker[Symbol.asyncDispose]();
    await this.killServer();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** An input that never comes, and never ends. */
export const OPEN = "\0open";

/** For a file of tests: a ground that is there from its first test to its last. */
export function talkGround(): () => TalkGround {
  let ground: TalkGround | undefined;
  beforeAll(async () => {
    ground = await TalkGround.open();
  }, 180_000);
  afterAll(() => ground?.close());
  return () => {
    if (!ground) throw new Error("The ground is there only while tests run");
    return ground;
  };
}
