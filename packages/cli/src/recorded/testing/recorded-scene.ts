import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ApiClient } from "@parley/client";
import { readConfiguration, startPlatform } from "@parley/server";
import { bareEnvironment } from "@parley/testing/bare-environment.ts";
import { recordSession } from "../record-session.ts";
import { readRecording, type WrittenRecording, writtenRecording } from "../recording.ts";
import { realAgents } from "../verify.ts";
import { type Verification, verifyRecording } from "../verify-recording.ts";
import { startSceneAgents } from "./scene-agents.ts";

const ROOT = resolve(import.meta.dirname, "../../../../..");

/** The exit code and output of a command. */
export interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Whom a session asks, and how its questions are answered. */
export interface Asked {
  readonly agent?: string;
  readonly decision?: "approved" | "denied" | "answered";
  readonly text?: string;
  /** Files that were uploaded. */
  readonly files?: readonly string[];
  /** By default a new session. */
  readonly sessionId?: string;
}

/** A running platform with five agents (one from a file with a real tool, four programs) and the command line. */
export class RecordedScene {
  readonly folder: string;
  readonly agentsFolder: string;
  readonly client: ApiClient;
  readonly #url: string;
  readonly #stop: () => Promise<void>;

  private constructor(folder: string, url: string, stop: () => Promise<void>) {
    this.folder = folder;
    this.agentsFolder = join(folder, "agents");
    this.#url = url;
    this.client = new ApiClient({ baseUrl: url });
    this.#stop = stop;
  }

  static async start(): Promise<RecordedScene> {
    const folder = await mkdtemp(join(tmpdir(), "parley-recorded-"));
    const agentsFolder = join(folder, "agents");
    await mkdir(agentsFolder);
    await cp(join(ROOT, "agents/calculator.md"), join(agentsFolder, "calculator.md"));
    const calculator = { command: "node", args: [join(ROOT, "mcp-servers/calculator/main.ts")] };
    await writeFile(join(agentsFolder, "mcp.json"), JSON.stringify({ mcpServers: { calculator } }));
    const programs = await startSceneAgents();
    const listed = Object.fromEntries([...programs].map(([name, { url }]) => [name, { url }]));
    await writeFile(join(agentsFolder, "agents.json"), JSON.stringify({ agents: listed }));
    const places = { PARLEY_DATA: join(folder, "data"), PARLEY_AGENTS: agentsFolder };
    const platform = await startPlatform(await readConfiguration({ ...environmentOf(folder), ...places }));
    await platform.agentsStarted;
    return new RecordedScene(folder, `http://127.0.0.1:${platform.port}`, async () => {
      await platform.stop();
      await Promise.all([...programs.values()].map((agent) => agent.stop()));
      await rm(folder, { recursive: true, force: true });
    });
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  /** Sends a message, answers the questions that follow, and returns the session when it is done. */
  async ask(content: string, asked: Asked = {}): Promise<string> {
    const { agent, decision = "approved", text, sessionId, files } = asked;
    const id = sessionId ?? (await this.client.createSession({})).session.id;
    const { run } = await this.client.postMessage(id, {
      content,
      ...(agent && { agent }),
      ...(files && { files }),
    });
    for (;;) {
      const { approvals } = await this.client.listApprovals({ open: true });
      for (const { id: approvalId } of approvals.filter((one) => one.sessionId === id))
        await this.client.answerApproval(id, approvalId, { decision, ...(text && { text }) });
      const { run: now } = await this.client.readRun(id, run.id);
      if (now.completedAt) return id;
      await pause(20);
    }
  }

  /** Runs the command line in its own process. */
  async parley(...args: readonly string[]): Promise<Ran> {
    const main = join(ROOT, "packages/cli/src/main.ts");
    const own = { HOME: this.folder, TMPDIR: this.folder, PARLEY_URL: this.#url };
    const env = { ...bareEnvironment(), NO_COLOR: "1", ...own };
    const child = spawn(process.execPath, [main, ...args], { cwd: this.folder, env });
    let [output, errors] = ["", ""];
    child.stdout.on("data", (data) => (output += data));
    child.stderr.on("data", (data) => (errors += data));
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    return { code, output, errors };
  }

  /** Records a session into a file of the scene's folder, and returns it as written. */
  async record(sessionId: string, file: string): Promise<WrittenRecording> {
    const text = writtenRecording(await recordSession(this.client, sessionId));
    await writeFile(join(this.folder, file), text);
    return JSON.parse(text);
  }

  /** Verifies a file in this process. */
  async verify(file: string, agents?: string): Promise<Verification> {
    const recording = readRecording(await readFile(join(this.folder, file), "utf8"));
    return verifyRecording(recording, {
      real: agents === undefined ? new Map() : realAgents(recording, agents),
      ignored: new Set(),
      timeoutMs: 20_000,
      environment: environmentOf(this.folder),
      signal: new AbortController().signal,
      onMessage: () => {},
    });
  }

  /** Writes a changed copy of a recording. */
  async altered(
    recording: WrittenRecording,
    file: string,
    change: (recording: WrittenRecording) => void,
  ): Promise<string> {
    const copy = structuredClone(recording);
    change(copy);
    await writeFile(join(this.folder, file), JSON.stringify(copy));
    return file;
  }
}

function environmentOf(folder: string): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return { PATH, HOME: folder, PORT: "0", PARLEY_LOG: "fatal", PARLEY_MODEL: "offline" };
}
