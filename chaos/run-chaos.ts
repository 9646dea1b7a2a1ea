import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Clients } from "./clients/clients.ts";
import type { Asks } from "./clients/talker.ts";
import type { Evidence, InjectedFault } from "./evidence/evidence.ts";
import {
  attacksIn,
  attemptsIn,
  callsIn,
  commandsIn,
  followersIn,
  offlineClientsIn,
  webhooksIn,
} from "./evidence/read-journals.ts";
import { readAgentLog, readNodesLog } from "./evidence/read-logs.ts";
import { type Fault, type NodeName, partsOf, type ScheduledFault } from "./schedule/fault.ts";
import { SOLE } from "./world/agent-files.ts";
import { withClient } from "./world/database.ts";
import { type ClientHabits, inject } from "./world/inject.ts";
import { Watcher } from "./world/watcher.ts";
import { hearWitness } from "./world/witness.ts";
import { World, type WorldOptions } from "./world/world.ts";

const CALM_MS = 90_000;

export interface ChaosOptions extends WorldOptions {
  readonly seed: number;
  readonly lengthMs: number;
  readonly faults: readonly ScheduledFault[];
  readonly asks?: Asks | undefined;
  /** Faults injected first, in sequence, each while runs are streaming. */
  readonly directed?: readonly Fault[] | undefined;
  /** Receives progress messages. */
  readonly tell: (line: string) => void;
}

/** Runs the world and its clients under these faults, lets it come to rest, and collects the evidence. */
export async function runChaos(options: ChaosOptions): Promise<Evidence> {
  const { folder, seed, lengthMs, tell } = options;
  const world = await World.start(options);
  const watcher = new Watcher(world);
  tell("all is up");
  try {
    const began = Date.now();
    const clients = new Clients(world, join(folder, "clients"), { seed, asks: options.asks });
    await clients.start();
    const faults = [
      ...(await directed(world, clients, options)),
      ...(await letHappen(world, clients.habits, options)),
    ];
    await sleep(Math.max(0, began + lengthMs - Date.now()));
    await clients.stopAsking();
    const calmAt = Date.now();
    tell("all is mended: waiting for the last run to end");
    await Promise.all([clients.arrive(), clients.rollCall(), clients.attackInCalm()]);
    await comeToRest(world, clients);
    await clients.look(await headsIn(world));
    await clients.stop();
    // All writers are stopped before the log is read: a node records the end of a run with a delay.
    for (const each of world.processes.values()) await each.kill();
    const waitingWebhooks = await waitingTasks(world);
    const witness = await hearWitness(world.database.url);
    const nodes = await readNodesLog(world.database.url);
    const own = await readAgentLog(options.disks.harbour, SOLE);
    return {
      ...{ began, calmAt, faults, waitingWebhooks, ...witness, tables: nodes.tables },
      streams: new Map([...nodes.streams, ...own]),
      followers: followersIn(clients.folder),
      commands: commandsIn(clients.folder),
      calls: callsIn(clients.folder),
      attempts: attemptsIn(clients.folder),
      attacks: attacksIn(clients.folder),
      offlineClients: offlineClientsIn(clients.folder),
      webhooks: webhooksIn(clients.folder),
      ledger: linesIn(world.ledger),
      processes: [...world.processes.values()].map(({ name, life, unaskedEnds }) => ({
        ...{ name, lives: life, unaskedEnds, peakMb: watcher.peakMb.get(name) ?? 0 },
        looks: watcher.looks.get(name) ?? 0,
      })),
      metrics: watcher.metrics,
    };
  } finally {
    watcher.stop();
    await world.stop();
  }
}

/** Lets each fault happen at its time; one that hits what is not yet well again waits for that, or is left out in the end. */
async function letHappen(
  world: World,
  habits: ClientHabits,
  { faults, lengthMs, tell }: ChaosOptions,
): Promise<InjectedFault[]> {
  const began = performance.now();
  const busy = new Map<string, Promise<void>>();
  const happened: InjectedFault[] = [];
  const all = faults.map(async ({ atMs, fault }) => {
    await sleep(Math.max(0, began + atMs - performance.now()));
    const parts = partsOf(fault);
    const before = Promise.all(parts.map((part) => busy.get(part)));
    const done = before.then(async () => {
      // Processes recover slowly on a busy machine, which must not make the run longer.
      if (performance.now() - began > lengthMs) return tell(`no time for ${JSON.stringify(fault)}`);
      tell(JSON.stringify(fault));
      happened.push(await happen(world, habits, fault));
    });
    for (const part of parts) busy.set(part, done);
    await done;
  });
  await Promise.all(all);
  return happened;
}

async function happen(world: World, habits: ClientHabits, fault: Fault): Promise<InjectedFault> {
  const target = "target" in fault ? fault.target : "";
  const life = `${target}.${world.processes.get(target as NodeName)?.life}`;
  const began = Date.now();
  const felt = await inject(world, habits, fault);
  return { fault, began, ended: Date.now(), life, felt };
}

async function directed(world: World, clients: Clients, options: ChaosOptions): Promise<InjectedFault[]> {
  const happened: InjectedFault[] = [];
  for (const fault of options.directed ?? []) {
    await clients.speaking();
    options.tell(JSON.stringify(fault));
    happened.push(await happen(world, clients.habits, fault));
  }
  return happened;
}

/** Resolves when no run is active and every follower has caught up, or after a long timeout. */
async function comeToRest(world: World, clients: Clients): Promise<void> {
  const until = performance.now() + CALM_MS;
  while (performance.now() < until) {
    if (await isAtRest(world, clients).catch(() => false)) return;
    await sleep(500);
  }
}

async function isAtRest({ database }: World, clients: Clients): Promise<boolean> {
  return withClient(database.url, async (client) => {
    const open = await client.query(
      `SELECT (SELECT count(*) FROM parley.agent_runs WHERE status IN ('running', 'waiting'))
            + (SELECT count(*) FROM parley.push_outbox WHERE died IS NULL) AS count`,
    );
    const { rows } = await client.query<{ id: string; workspace: string; head: number }>(
      `SELECT session_id AS id, workspace, head::int FROM parley.sessions
       JOIN parley.streams ON name = 'session/' || session_id`,
    );
    const caughtUp = rows.every(({ id, workspace, head }) => clients.haveSeen(id, workspace, head));
    return Number(open.rows[0]?.count) === 0 && caughtUp;
  });
}

/** The last index of each session. */
async function headsIn({ database }: World): Promise<Map<string, number>> {
  const { rows } = await withClient(database.url, (client) =>
    client.query<{ name: string; head: number }>(
      "SELECT name, head::int FROM parley.streams WHERE name LIKE 'session/%'",
    ),
  );
  return new Map(rows.map(({ name, head }) => [name.slice("session/".length), head]));
}

/** The tasks with a webhook that waits for its next try, which may be in half an hour. */
async function waitingTasks({ database }: World): Promise<Set<string>> {
  const { rows } = await withClient(database.url, (client) =>
    client.query<{ task: string }>("SELECT task FROM parley.push_outbox WHERE died IS NULL"),
  );
  return new Set(rows.map(({ task }) => task));
}

function linesIn(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n").filter(Boolean);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
