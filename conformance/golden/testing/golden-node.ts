import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bareEnvironment } from "@parley/testing/bare-environment.ts";
import { freePortRange } from "@parley/testing/free-ports.ts";
import { importing } from "@parley/testing/wrong-clock.ts";
import { GoldenClient } from "./golden-client.ts";
import { SECRET } from "./golden-scene.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const CALCULATOR = join(ROOT, "mcp-servers/calculator/main.ts");
/** Ports of agents begin so far behind the main one. */
const AGENT_PORTS = 15;

export interface GoldenNodeOptions {
  /** Where the agents' files go, and the data if it is in no database. */
  readonly folder: string;
  readonly database?: string | undefined;
  /** The model of its agents. */
  readonly model: string;
  /** Sources of modules that are loaded before the program. */
  readonly imports?: readonly string[];
}

/** A node of the code as it is, with the agents of the golden data, in a process of its own. */
export class GoldenNode {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  /** Starts it; resolves when it goes on with what was under way. */
  static async start(options: GoldenNodeOptions): Promise<GoldenNode> {
    const { folder, database, imports = [] } = options;
    writeAgents(options);
    const port = await freePortRange(AGENT_PORTS);
    const child = spawn(
      process.execPath,
      [...imports.map(importing), join(ROOT, "packages/server/src/main.ts")],
      {
        env: {
          ...{ ...bareEnvironment(), HOME: folder, PORT: String(port), PARLEY_LOG: "warn" },
          ...{ PARLEY_MODEL: "offline", PARLEY_AUTH: "on", PARLEY_EGRESS_ALLOW: "127.0.0.0/8" },
          ...{ PARLEY_DATA: join(folder, "data"), PARLEY_AGENTS: join(folder, "agents") },
          ...(database !== undefined && { DATABASE_URL: database, PARLEY_SECRET: SECRET }),
        },
        // In a folder without a `.env`, which would not be the test's.
        cwd: folder,
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    // It ends with this process, however that ends.
    process.once("exit", () => child.kill("SIGKILL"));
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    while (!/^ {2}model/m.test(output)) {
      if (child.exitCode !== null) throw new Error(`The node ended: ${output}`);
      await Promise.race([once(child, "close"), once(child.stdout, "data")]);
    }
    return new GoldenNode(`http://localhost:${port}`, child);
  }

  as(key: string): GoldenClient {
    return new GoldenClient(this.url, key);
  }

  /** Resolves when all of these agents are up. */
  async hasAgents(key: string, ...names: readonly string[]): Promise<void> {
    const isUp = async () => {
      type Listed = { readonly agents: readonly { readonly name: string; readonly state: string }[] };
      const { agents } = await this.as(key).call<Listed>("GET", "/agents");
      return names.every((name) => agents.some((each) => each.name === name && each.state === "up"));
    };
    while (!(await isUp())) await sleep(50);
  }

  /** Stops it gracefully (SIGTERM) or abruptly (SIGKILL). */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, "close");
    this.#child.kill(signal);
    await gone;
  }
}

function writeAgents({ folder, model }: GoldenNodeOptions): void {
  const file = (about: string, more = "") =>
    `---\ndescription: ${about}\nmodel: ${model}\n${more}---\n\nSpeak.\n`;
  const mcp = { mcpServers: { calculator: { command: "node", args: [CALCULATOR] } } };
  const files = {
    "teller.md": file("Tells stories."),
    "clerk.md": file("Does sums.", "mcpServers: [calculator]\napproval: { default: ask }\n"),
    "mcp.json": JSON.stringify(mcp),
  };
  mkdirSync(join(folder, "agents"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, "agents", name), text);
}
