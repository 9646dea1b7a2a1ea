import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { A2AClient, budget, type ClientLimits, withMember } from "@parley/a2a";
import { freePortRange } from "@parley/testing/free-ports.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { ManyLives } from "./many-lives.ts";
import type { MortalAgent } from "./mortal-agent.ts";
import type { MortalSupervisor } from "./mortal-supervisor.ts";
import { Reading } from "./reading.ts";
import type { Manner } from "./speaking-executor.ts";
import type { Wish } from "./speech.ts";

export interface RigAgent {
  readonly name: string;
  readonly manner: Manner;
  readonly speaksExtension?: boolean;
}

export interface RigOptions {
  readonly agents: readonly RigAgent[];
  readonly paceMs?: number;
}

const PATIENT = { tries: 1_000, firstDelayMs: 20, maxDelayMs: 200 };
const LIMITS: Partial<ClientLimits> = { retry: PATIENT, reconnect: PATIENT };

/** A supervisor and its agents, each in a process of its own that can be killed, and readers that survive it. */
export class KillRig {
  readonly supervisor: ManyLives;
  readonly agents: ReadonlyMap<string, ManyLives>;
  /** Where the supervisor's journal is. */
  readonly folder: string;
  readonly #clients = new Map<string, A2AClient>();

  private constructor(supervisor: ManyLives, agents: ReadonlyMap<string, ManyLives>, folder: string) {
    this.supervisor = supervisor;
    this.agents = agents;
    this.folder = folder;
  }

  /** With all of them at work. */
  static async start({ agents, paceMs = 4 }: RigOptions): Promise<KillRig> {
    const folder = await testFolder();
    const port = await freePortRange(agents.length);
    const environment = { NODE_COMPILE_CACHE: join(tmpdir(), `parley-test-cache-${process.pid}`) };
    process.once("exit", () => rmSync(environment.NODE_COMPILE_CACHE, { recursive: true, force: true }));
    const addresses = agents.map(({ name }, n) => ({ name, url: `http://127.0.0.1:${port + 1 + n}` }));
    const lives = agents.map((agent, n): [string, ManyLives] => {
      const task: MortalAgent = {
        ...{ speaksExtension: true, paceMs, ...agent },
        folder: join(folder, agent.name),
        port: port + 1 + n,
      };
      return [agent.name, new ManyLives(new URL("mortal-agent.ts", import.meta.url), task, environment)];
    });
    const own: MortalSupervisor = { folder: join(folder, "supervisor"), port, paceMs, agents: addresses };
    const program = new URL("mortal-supervisor.ts", import.meta.url);
    const rig = new KillRig(new ManyLives(program, own, environment), new Map(lives), own.folder);
    await Promise.all(lives.map(([, life]) => life.begin()));
    await rig.supervisor.begin();
    for (const { name, url } of [{ name: "supervisor", url: `http://127.0.0.1:${port}` }, ...addresses]) {
      const client = await A2AClient.connect(url, { policy: { allowOrigins: [url] }, limits: LIMITS });
      rig.#clients.set(name, client);
    }
    return rig;
  }

  /** Speaks to one of them, and waits while it is down. */
  client(name: string): A2AClient {
    const client = this.#clients.get(name);
    if (!client) throw new Error(`There is no ${name} here`);
    return client;
  }

  /** Says something to the supervisor, and reads what comes of it until that is settled. */
  ask(wish: Wish): Reading {
    return this.say(JSON.stringify(wish));
  }

  /** The same, in these words, to a task that is there. */
  say(text: string, taskId?: string): Reading {
    const metadata = withMember(undefined, budget, { timeMs: 600_000 });
    const message = {
      messageId: crypto.randomUUID(),
      role: "ROLE_USER",
      parts: [{ text }],
      metadata,
    } as const;
    const named = { ...message, ...(taskId !== undefined && { taskId }) };
    return new Reading(this.client("supervisor").stream({ message: named }));
  }
}
