import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hop } from "./hop.ts";
import type { StreamTimes } from "./reader.ts";
import { AGENT, type Load } from "./wording.ts";

/** The agent that the client calls. */
export type Way = "direct" | "supervised";

/** The processes of the chain, in the order a token passes them. */
export type HopName = "model" | "agent" | "supervisor" | "client";

/** The cost of this many concurrent streams. */
export interface Measured {
  readonly streams: readonly StreamTimes[];
  /** Microseconds of CPU time per token of one stream. */
  readonly cpu: Readonly<Record<HopName, number>>;
}

export interface ChainOptions {
  /** A folder for the CPU profiles of agent and supervisor. */
  readonly profile?: string | undefined;
  /** The sub-agent's text source: a model over HTTP, its own executor, or a runtime that is not ours. */
  readonly speaker?: "model" | "executor" | "raw";
}

const SPEAKING_AGENT = "chain/speaking-agent.ts";
const RAW_AGENT = "chain/raw-agent.ts";
const AGENT_PROGRAM = "../packages/server/src/agent-main.ts";

/** Model, sub-agent, supervisor and client, each in its own process, as users start them. */
export class Chain {
  readonly hops: Readonly<Record<HopName, Hop>>;
  readonly #urls: Readonly<Record<Way, string>>;
  readonly #folder: string;

  private constructor(hops: Chain["hops"], urls: Record<Way, string>, folder: string) {
    this.hops = hops;
    this.#urls = urls;
    this.#folder = folder;
  }

  static async start({ profile, speaker = "model" }: ChainOptions = {}): Promise<Chain> {
    const folder = mkdtempSync(join(tmpdir(), "parley-bench-"));
    const model = new Hop({ program: "chain/model-endpoint.ts" });
    const name = `openai-compatible:words@${await model.said(ADDRESS)}/v1`;
    const file = join(folder, `${AGENT}.md`);
    writeFileSync(file, `---\ndescription: Says what it is told to.\nmodel: ${name}\n---\n\nGo.\n`);
    const data = join(folder, "agent");
    const agent = new Hop(
      speaker === "model"
        ? { program: AGENT_PROGRAM, args: [file, "--port", "0", "--data", data], profile }
        : { program: speaker === "raw" ? RAW_AGENT : SPEAKING_AGENT, args: [data], profile },
    );
    const direct = await agent.said(ADDRESS);
    // The supervisor's agents folder is empty: it knows the other process by its URL.
    const agents = mkdtempSync(join(folder, "agents-"));
    writeFileSync(join(agents, "agents.json"), JSON.stringify({ agents: { [AGENT]: { url: direct } } }));
    const supervisor = new Hop({
      program: "../packages/server/src/main.ts",
      environment: {
        PORT: "0",
        // One user sends everything, as fast as possible.
        PARLEY_RATE: "0",
        PARLEY_MODEL: name,
        PARLEY_AGENTS: agents,
        PARLEY_DATA: join(folder, "supervisor"),
      },
      collects: true,
      profile,
    });
    const printed = await supervisor.said(/(?<![\s\S])[\s\S]*^ {2}model/m);
    const supervised = ADDRESS.exec(printed)?.[0] ?? "";
    const client = new Hop({ program: "chain/reader.ts" });
    return new Chain({ model, agent, supervisor, client }, { direct, supervised }, folder);
  }

  /** The URL of the platform with the supervisor. */
  get url(): string {
    return this.#urls.supervised;
  }

  /** Reads this many answers concurrently and measures what each process used. */
  async read(way: Way, load: Load, streams: number): Promise<Measured> {
    const before = this.#cpu();
    const url = this.#urls[way];
    const times = await this.hops.client.ask<StreamTimes[]>({ url, load, streams });
    const after = this.#cpu();
    const each = (name: HopName) => (after[name] - before[name]) / (streams * load.tokens);
    const cpu = {
      model: each("model"),
      agent: each("agent"),
      supervisor: each("supervisor"),
      client: each("client"),
    };
    return { streams: times, cpu };
  }

  async stop(): Promise<void> {
    const { model, agent, supervisor, client } = this.hops;
    for (const hop of [client, supervisor, agent, model]) await hop.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #cpu(): Record<HopName, number> {
    const { model, agent, supervisor, client } = this.hops;
    return { model: model.cpu, agent: agent.cpu, supervisor: supervisor.cpu, client: client.cpu };
  }
}

const ADDRESS = /http:\/\/localhost:\d+/;
