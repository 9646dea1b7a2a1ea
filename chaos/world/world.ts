import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePortRange } from "@parley/testing/free-ports.ts";
import type { Break } from "../schedule/directed-faults.ts";
import { type Hop, NODES, type NodeName } from "../schedule/fault.ts";
import { SOLE, writeAgentFiles } from "./agent-files.ts";
import { Database } from "./database.ts";
import { FaultyProxy } from "./faulty-proxy.ts";
import { Forger } from "./forger.ts";
import { KeptProcess, type Program } from "./kept-process.ts";
import { type Keys, makeKeys, revokeKey } from "./keys.ts";
import { ModelEndpoint } from "./model-endpoint.ts";
import { ShiftedClock } from "./shifted-clock.ts";
import { callWitness } from "./witness.ts";

const source = (path: string) => fileURLToPath(new URL(`../../packages/server/src/${path}`, import.meta.url));
const BROKEN_PROGRAM = fileURLToPath(new URL("../breaks/broken-program.ts", import.meta.url));
/** Where the launcher keeps what Node compiled: processes start twice as fast. */
const COMPILED =
  process.env.NODE_COMPILE_CACHE ??
  fileURLToPath(new URL("../../node_modules/.cache/compiled", import.meta.url));
/** The ports of a node and of its agents. */
const NODE_PORTS = 20;

export interface WorldOptions {
  /** Where logs and data go. */
  readonly folder: string;
  /** The small disks, by owner. */
  readonly disks: Readonly<Record<"postgres" | "harbour", string>>;
  readonly tokenEveryMs: number;
  /** How the programs are broken on purpose. */
  readonly broken?: Break | undefined;
}

/** The system under test: each part in its own process, with a proxy on every connection. */
export class World {
  readonly options: WorldOptions;
  readonly database: Database;
  readonly model: ModelEndpoint;
  readonly forger: Forger;
  readonly processes: ReadonlyMap<NodeName | "harbour", KeptProcess>;
  readonly proxies: ReadonlyMap<Hop, FaultyProxy>;
  readonly clocks: ReadonlyMap<NodeName, ShiftedClock>;
  /** The users' API keys. */
  readonly keys: Keys;
  /** The lines that the tool of the agents has written. */
  readonly ledger: string;

  private constructor(parts: Omit<World, "urlOf" | "directUrlOf" | "stop">) {
    this.options = parts.options;
    this.database = parts.database;
    this.model = parts.model;
    this.forger = parts.forger;
    this.processes = parts.processes;
    this.proxies = parts.proxies;
    this.clocks = parts.clocks;
    this.keys = parts.keys;
    this.ledger = parts.ledger;
  }

  /** Starts all of it; resolves when all is up. */
  static async start(options: WorldOptions): Promise<World> {
    const { folder, disks, tokenEveryMs } = options;
    for (const name of ["logs", "data"]) mkdirSync(join(folder, name), { recursive: true });
    const database = await Database.start(disks.postgres);
    const ports = {
      "node-a": await freePortRange(NODE_PORTS),
      "node-b": await freePortRange(NODE_PORTS),
      others: await freePortRange(10),
    };
    const at = (place: number) => ports.others + place;
    const model = await ModelEndpoint.start(at(0), tokenEveryMs);
    const forger = await Forger.start(at(7));
    const ways: readonly [Hop, number, number, boolean?][] = [
      ["client→node-a", at(1), ports["node-a"]],
      ["client→node-b", at(2), ports["node-b"]],
      ["node-a→postgres", at(3), database.port],
      ["node-b→postgres", at(4), database.port],
      ["node→harbour", at(5), at(6), true],
    ];
    const proxies = new Map<Hop, FaultyProxy>();
    for (const [hop, port, target, renames = false] of ways)
      proxies.set(hop, await FaultyProxy.start({ port, target, renames }));
    const ledger = join(folder, "ledger");
    const files = writeAgentFiles({
      folder: join(folder, "agents"),
      modelPort: at(0),
      solePort: at(5),
      forgerPort: at(7),
      ledger,
    });
    const clocks = new Map(NODES.map((name) => [name, new ShiftedClock(join(folder, `${name}.clock`))]));
    const common = {
      ...{
        PATH: process.env.PATH,
        HOME: folder,
        PARLEY_LOG: "debug",
        PARLEY_MODEL: "offline",
        PARLEY_RATE: "0",
      },
      ...{ PARLEY_EGRESS_ALLOW: "127.0.0.0/8", NODE_COMPILE_CACHE: COMPILED },
    };
    const { broken } = options;
    const argumentsFor = (path: string) => [
      ...["--disable-warning=ExperimentalWarning", ...(broken ? [BROKEN_PROGRAM, broken] : []), source(path)],
    ];
    const node =
      (name: NodeName) =>
      (life: number): Program => ({
        args: argumentsFor("main.ts"),
        environment: {
          ...common,
          ...clocks.get(name)?.environment,
          ...{
            PORT: String(ports[name]),
            PARLEY_DATA: join(folder, "data", name),
            PARLEY_AGENTS: files.nodes,
            PARLEY_AUTH: "on",
            // For the attack with backtracking patterns.
            PARLEY_OFFLINE_MODEL_ENDPOINT: "on",
          },
          DATABASE_URL: database.urlBy(proxies.get(`${name}→postgres`)?.port ?? 0, `${name}.${life}`),
        },
        folder,
      });
    const sole = (): Program => ({
      args: [
        ...[...argumentsFor("agent-main.ts"), files.sole],
        ...["--port", String(at(6)), "--data", disks.harbour],
      ],
      environment: common,
      folder,
    });
    const kept = (name: string, program: (life: number) => Program, isUp: RegExp) =>
      new KeptProcess({ name, program, isUp, log: join(folder, "logs", `${name}.log`) });
    const processes = new Map([
      [SOLE, kept(SOLE, sole, /^ {2}model/m)] as const,
      ...NODES.map((name) => [name, kept(name, node(name), /^ {2}model/m)] as const),
    ]);
    const keys = await makeKeys(database.url, join(folder, "data", "keys"));
    const world = new World({ options, database, model, forger, processes, proxies, clocks, keys, ledger });
    try {
      // One after the other: the first node makes the tables, and builds what the second one needs too.
      for (const each of processes.values()) await each.start();
      await revokeKey(world.urlOf("node-a"), keys);
      await callWitness(database.url);
      return world;
    } catch (error) {
      await world.stop();
      throw error;
    }
  }

  /** A node's direct URL, without a proxy. */
  directUrlOf(node: NodeName): string {
    return `http://localhost:${this.proxies.get(`client→${node}`)?.target}`;
  }

  /** Where clients reach a node. */
  urlOf(node: NodeName): string {
    return `http://localhost:${this.proxies.get(`client→${node}`)?.port}`;
  }

  async stop(): Promise<void> {
    for (const each of this.processes.values()) {
      each.signal("SIGCONT");
      await each.kill();
    }
    for (const proxy of this.proxies.values()) await proxy.stop();
    this.model.stop();
    this.forger.stop();
    await this.database.stop();
  }
}
