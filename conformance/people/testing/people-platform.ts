import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bareEnvironment } from "@parley/testing/bare-environment.ts";
import { freePortRange } from "@parley/testing/free-ports.ts";
import { SERVER_PROGRAM } from "@parley/testing/server-program.ts";
import { AUDIENCE, CLIENT, CLIENT_SECRET, RealProvider } from "./real-provider.ts";

/** The whole platform in its own process, with login through a real provider. */
export class PeoplePlatform {
  readonly url: string;
  readonly provider: RealProvider;
  /** Its whole output and log. */
  output = "";
  readonly folder: string;
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;

  private constructor(
    url: string,
    provider: RealProvider,
    folder: string,
    environment: Readonly<Record<string, string>>,
  ) {
    this.url = url;
    this.provider = provider;
    this.folder = folder;
    this.#environment = environment;
  }

  /** `environment` is added to what it is started with. */
  static async start(environment: Readonly<Record<string, string>> = {}): Promise<PeoplePlatform> {
    const url = `http://localhost:${await freePortRange(0)}`;
    const folder = await mkdtemp(join(tmpdir(), "parley-people-"));
    await mkdir(join(folder, "agents"));
    const platform = new PeoplePlatform(url, await RealProvider.start(url), folder, environment);
    await platform.#begin();
    return platform;
  }

  /** Kills it and restarts it on the same data, with its clock moved forward by this much. */
  async restart({ laterMs = 0 }: { readonly laterMs?: number } = {}): Promise<void> {
    await this.#kill();
    await this.#begin(laterMs);
  }

  async stop(): Promise<void> {
    await this.#kill();
    await this.provider.goAway();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #begin(laterMs = 0): Promise<void> {
    const child = spawn(process.execPath, [...(laterMs > 0 ? [later(laterMs)] : []), SERVER_PROGRAM], {
      env: {
        ...bareEnvironment(),
        PORT: new URL(this.url).port,
        ...{ PARLEY_LOG: "debug", PARLEY_MODEL: "offline" },
        ...{ PARLEY_DATA: join(this.folder, "data"), PARLEY_AGENTS: join(this.folder, "agents") },
        ...{ PARLEY_OIDC_ISSUER: this.provider.issuer, PARLEY_OIDC_CLIENT_ID: CLIENT },
        ...{ PARLEY_OIDC_CLIENT_SECRET: CLIENT_SECRET, PARLEY_OIDC_AUDIENCE: AUDIENCE },
        ...this.#environment,
      },
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    const since = this.output.length;
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (this.output += text));
    while (!/^ {2}model/m.test(this.output.slice(since))) {
      if (child.exitCode !== null) throw new Error(`The platform ended: ${this.output.slice(since)}`);
      await Promise.race([once(child, "close"), once(child.stdout, "data")]);
    }
  }

  async #kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "close");
    child.kill("SIGKILL");
    await gone;
  }
}

/** Moves a Node process's clock forward by this much. */
function later(milliseconds: number): string {
  const module = `
    const Right = Date;
    globalThis.Date = class Date extends Right {
      constructor(...given) { super(...(given.length === 0 ? [Right.now() + ${milliseconds}] : given)); }
      static now() { return Right.now() + ${milliseconds}; }
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(module)}`;
}
