import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bareEnvironment } from "@parley/testing/bare-environment.ts";
import { sharedChromium, type TestBrowser } from "@parley/testing/chromium.ts";
import { freePortRange } from "@parley/testing/free-ports.ts";
import { SERVER_PROGRAM } from "@parley/testing/server-program.ts";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../../..");
/** After the platform's own port come those that the shipped agents name, and from the tenth on those that are assigned. */
const SHIPPED_PORTS = 10;

/** What a ground is like. */
export interface WebFixtureOptions {
  /** Which of the shipped agents are there; each starts its tools. */
  readonly agents?: readonly string[];
  /** Agents of a test's own, by name: what their files say. */
  readonly ownAgents?: Readonly<Record<string, string>>;
  /** What the agent `files` finds in its folder; a long text makes a long answer. */
  readonly files?: Readonly<Record<string, string>>;
  /** Agents elsewhere, by name. */
  readonly peers?: Readonly<Record<string, string>>;
  /** Added to the server's environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A real server with real agents on the offline model, and a real browser: one of each for a file of tests. */
export class WebFixture {
  readonly url: string;
  readonly #folder: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #browser: TestBrowser;
  /** What went wrong in pages: script errors and what the policy blocked. */
  readonly troubles: string[] = [];
  #server: ChildProcess | undefined;

  private constructor(
    port: number,
    folder: string,
    browser: TestBrowser,
    environment: Readonly<Record<string, string>>,
  ) {
    this.url = `http://localhost:${port}`;
    this.#folder = folder;
    this.#browser = browser;
    this.#environment = environment;
  }

  static async open({
    agents = ["argocd", "calculator"],
    ownAgents = {},
    files = {},
    peers = {},
    environment = {},
  }: WebFixtureOptions = {}): Promise<WebFixture> {
    const folder = await mkdtemp(join(tmpdir(), "parley-web-"));
    await writeAgents(join(folder, "agents"), agents);
    for (const [name, text] of Object.entries(ownAgents))
      await writeFile(join(folder, `agents/${name}.md`), text);
    const listed = Object.entries(peers).map(([name, url]) => [name, { url }]);
    await writeFile(
      join(folder, "agents/agents.json"),
      JSON.stringify({ agents: Object.fromEntries(listed) }),
    );
    await mkdir(join(folder, "files"));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, "files", name), text);
    const port = await freePortRange(SHIPPED_PORTS + Object.keys(ownAgents).length);
    const ground = new WebFixture(port, folder, await sharedChromium(), environment);
    await ground.startServer();
    return ground;
  }

  /** Starts the server, again on the same port and data after it was killed; resolves when its agents are up. */
  async startServer(): Promise<void> {
    const child = spawn(process.execPath, [SERVER_PROGRAM], {
      env: {
        ...{
          ...bareEnvironment(),
          PORT: new URL(this.url).port,
          PARLEY_MODEL: "offline",
          PARLEY_LOG: "warn",
        },
        ...{ PARLEY_DATA: join(this.#folder, "data"), PARLEY_AGENTS: join(this.#folder, "agents") },
        ...this.#environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#server = child;
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    while (!/^ {2}model/m.test(output)) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`The server ended: ${output}`);
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

  /** Like a fresh installation on the same port, without the earlier data. */
  async resetServer(): Promise<void> {
    await this.killServer();
    await rm(join(this.#folder, "data"), { recursive: true, force: true });
    await this.startServer();
  }

  /** Another tab beside a page, with the same profile. */
  async newTab(beside: Page): Promise<Page> {
    return this.#watched(await beside.context().newPage());
  }

  /** A page with a profile of its own, as a new visitor has it; it is closed with the ground at the latest. */
  async newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1_100, height: 760 }, ...options });
    return this.#watched(await context.newPage());
  }

  #watched(page: Page): Page {
    // A busy machine must not fail a correct test.
    page.setDefaultTimeout(90_000);
    page.on("pageerror", (error) => this.troubles.push(error.message));
    page.on("console", (message) => message.type() === "error" && this.troubles.push(message.text()));
    return page;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.killServer();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** For a file of tests: a ground that is there from its first test to its last. */
export function webFixture(
  options?: WebFixtureOptions | (() => Promise<WebFixtureOptions>),
): () => WebFixture {
  let ground: WebFixture | undefined;
  beforeAll(async () => {
    ground = await WebFixture.open(typeof options === "function" ? await options() : options);
  }, 180_000);
  afterAll(() => ground?.close());
  return () => {
    if (!ground) throw new Error("The ground is there only while tests run");
    return ground;
  };
}

async function writeAgents(folder: string, agents: readonly string[]): Promise<void> {
  await mkdir(folder);
  const program = (name: string, ...args: readonly string[]) => ({
    command: "node",
    args: [join(ROOT, "mcp-servers", name, "main.ts"), ...args],
  });
  const mcpServers = {
    version_service: program("argocd", "version"),
    application_service: program("argocd", "application"),
    calculator: program("calculator"),
    charts: program("charts"),
    files: { ...program("filesystem", "."), cwd: "../files" },
  };
  await writeFile(join(folder, "mcp.json"), JSON.stringify({ mcpServers }));
  for (const name of agents) await copyFile(join(ROOT, "agents", `${name}.md`), join(folder, `${name}.md`));
}
