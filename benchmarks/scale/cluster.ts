import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { Hop } from "../chain/hop.ts";
import { AGENT } from "../chain/wording.ts";

const ADDRESS = /http:\/\/localhost:\d+/;

/** A number of nodes on one Postgres database, and one agent that all of them know. */
export class Cluster {
  readonly nodes: readonly Hop[];
  readonly urls: readonly string[];
  readonly agent: Hop;
  readonly #end: () => Promise<void>;

  private constructor(parts: Pick<Cluster, "nodes" | "urls" | "agent">, end: () => Promise<void>) {
    this.nodes = parts.nodes;
    this.urls = parts.urls;
    this.agent = parts.agent;
    this.#end = end;
  }

  static async start(postgresUrl: string, count: number): Promise<Cluster> {
    const { url: database, drop } = await freshDatabase(postgresUrl);
    const folder = mkdtempSync(join(tmpdir(), "parley-bench-"));
    const agent = new Hop({ program: "chain/speaking-agent.ts", args: [join(folder, "agent")] });
    const agents = mkdtempSync(join(folder, "agents-"));
    const listed = { agents: { [AGENT]: { url: await agent.said(ADDRESS) } } };
    writeFileSync(join(agents, "agents.json"), JSON.stringify(listed));
    const nodes: Hop[] = [];
    const urls: string[] = [];
    // Sequentially: the first one creates the tables.
    for (let n = 0; n < count; n++) {
      const environment = {
        ...{ PORT: "0", PARLEY_RATE: "0", PARLEY_MODEL: "offline", PARLEY_AGENTS: agents },
        ...{ PARLEY_DATA: join(folder, `node-${n}`), DATABASE_URL: database },
      };
      const node = new Hop({ program: "../packages/server/src/main.ts", environment, collects: true });
      nodes.push(node);
      urls.push(ADDRESS.exec(await node.said(/(?<![\s\S])[\s\S]*^ {2}model/m))?.[0] ?? "");
    }
    return new Cluster({ nodes, urls, agent }, async () => {
      for (const hop of [...nodes, agent]) await hop.stop();
      await drop();
      rmSync(folder, { recursive: true, force: true });
    });
  }

  /** CPU time so far in microseconds: of each part, and of the whole machine. */
  cpu(): Usage {
    const machine = cpus().reduce((sum, { times }) => sum + times.user + times.sys + times.irq, 0) * 1_000;
    const nodes = this.nodes.reduce((sum, node) => sum + node.cpu, 0);
    return { machine, nodes, agent: this.agent.cpu };
  }

  stop(): Promise<void> {
    return this.#end();
  }
}

/** Microseconds of CPU time. */
export interface Usage {
  readonly machine: number;
  readonly nodes: number;
  readonly agent: number;
}

/** Cores used in between, by part; the rest is mostly Postgres. */
export function coresUsed(before: Usage, after: Usage, client: number, milliseconds: number) {
  const cores = (microseconds: number) => Number((microseconds / 1_000 / milliseconds).toFixed(2));
  const [machine, nodes, agent] = [
    after.machine - before.machine,
    after.nodes - before.nodes,
    after.agent - before.agent,
  ];
  return {
    ...{ all: cores(machine), nodes: cores(nodes), agent: cores(agent), client: cores(client) },
    postgresAndRest: cores(machine - nodes - agent - client),
    has: cpus().length,
  };
}
