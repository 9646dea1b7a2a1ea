import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Belongings } from "./clients/belongings.ts";
import { Caller } from "./clients/caller.ts";
import { ClientJournal } from "./clients/client-journal.ts";
import { dawdle } from "./clients/dawdler.ts";
import { Follower } from "./clients/follower.ts";
import { PatientSender } from "./clients/patient-sender.ts";
import { Stranger } from "./clients/stranger.ts";
import { type Asks, Talker } from "./clients/talker.ts";
import { Traveller } from "./clients/traveller.ts";
import { UnreliableReceiver } from "./clients/webhook-receiver.ts";
import type { Evidence, InjectedFault } from "./evidence/evidence.ts";
import {
  attemptsIn,
  callsIn,
  commandsIn,
  followersIn,
  travellersIn,
  webhooksIn,
} from "./evidence/read-journals.ts";
import { readAgentLog, readNodesLog } from "./evidence/read-logs.ts";
import { type Fault, NODES, type NodeName, partsOf, type ScheduledFault } from "./schedule/fault.ts";
import { SeededRandom } from "./schedule/seeded-random.ts";
import { SOLE } from "./world/agent-files.ts";
import { withClient } from "./world/database.ts";
import { type ClientHabits, inject } from "./world/inject.ts";
import { CREW, STRANGERS } from "./world/keys.ts";
import { Watcher } from "./world/watcher.ts";
import { hearWitness } from "./world/witness.ts";
import { World, type WorldOptions } from "./world/world.ts";

const TALKERS = 4;
const FOLLOWERS = 3;
const TRAVELLERS = 2;
const CALM_MS = 90_000;

export interface ChaosOptions extends WorldOptions {
  readonly seed: number;
  readonly lengthMs: number;
  readonly faults: readonly ScheduledFault[];
  readonly asks?: Asks | undefined;
  /** Faults that happen first, one after the other, each while answers are under way. */
  readonly directed?: readonly Fault[] | undefined;
  /** Told what happens, as it does. */
  readonly tell: (line: string) => void;
}

/** Runs the world and its clients under these faults, lets it come to rest, and gathers what is left. */
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
    await Promise.all([clients.arrive(), clients.rollCall()]);
    await comeToRest(world, clients);
    await clients.look(await headsIn(world));
    await clients.stop();
    const waitingWebhooks = await waitingTasks(world);
    const witness = await hearWitness(world.database.url);
    const nodes = await readNodesLog(world.database.url);
    const sole = world.processes.get(SOLE);
    await sole?.kill();
    const own = await readAgentLog(options.disks.harbour, SOLE);
    return {
      ...{ began, calmAt, faults, waitingWebhooks, ...witness, tables: nodes.tables },
      streams: new Map([...nodes.streams, ...own]),
      followers: followersIn(clients.folder),
      commands: commandsIn(clients.folder),
      calls: callsIn(clients.folder),
      attempts: attemptsIn(clients.folder),
      travellers: travellersIn(clients.folder),
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
      // On a busy machine processes are slow to come back: a run does not get longer by that.
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

/** Resolves when no run is under way and every follower has all there is, or after a long time. */
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

/** How far each session goes. */
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

/** Everybody who uses the platform. */
class Clients {
  readonly folder: string;
  readonly habits: ClientHabits = {
    ...{ sendsTwice: false, readsSlowly: false, duplicated: 0 },
    dawdle: (forMs) => this.#dawdle(forMs),
  };
  readonly #world: World;
  readonly #options: Pick<ChaosOptions, "seed" | "asks">;
  readonly #asking = new AbortController();
  #followers: Follower[] = [];
  #travellers: Traveller[] = [];
  #dawdlers = 0;
  #asked: Promise<void>[] = [];
  #receiver: UnreliableReceiver | undefined;

  constructor(world: World, folder: string, options: Pick<ChaosOptions, "seed" | "asks">) {
    this.#world = world;
    this.folder = folder;
    this.#options = options;
  }

  async start(): Promise<void> {
    const { signal } = this.#asking;
    const { keys } = this.#world;
    const belongings = new Belongings();
    const common = (name: string, workspace?: string) => this.#common(name, workspace);
    const { journal, random } = common("receiver");
    const receiver = await UnreliableReceiver.start(journal, random);
    this.#receiver = receiver;
    this.#followers = numbered(FOLLOWERS, "follower").map(
      // The last one is the slow one.
      (name, place) =>
        new Follower({ ...common(name), isSlow: () => place === FOLLOWERS - 1 && this.habits.readsSlowly }),
    );
    this.#followers.push(new Follower({ ...common("follower-stranger", STRANGERS), isSlow: () => false }));
    // What is said from now on, each of them has to hear.
    await Promise.all(this.#followers.map(({ ready }) => ready));
    const talker = (name: string, workspace: string) => {
      const own = common(name, workspace);
      const sender = new PatientSender({ ...own, signal, sendsTwice: () => this.#sendsTwice() });
      const { asks } = this.#options;
      const known = workspace === CREW ? belongings : undefined;
      return new Talker({ name, sender, random: own.random, signal, asks, belongings: known });
    };
    const talkers = [
      ...numbered(TALKERS, "talker").map((name) => talker(name, CREW)),
      talker("talker-stranger", STRANGERS),
    ];
    const name = "caller1";
    const caller = new Caller({ ...common(name), name, webhook: receiver.url, belongings, signal });
    this.#travellers = numbered(TRAVELLERS, "traveller").map(
      (each) => new Traveller({ ...common(each), name: each, signal }),
    );
    const { revoked, stranger: shown } = keys;
    const forged = keys.crew.slice(0, -4) + (keys.crew.endsWith("AAAA") ? "BBBB" : "AAAA");
    const stranger = new Stranger({
      ...{ ...common("stranger1", STRANGERS), belongings, signal },
      keys: { stranger: shown, nobody: undefined, forged, revoked: revoked.secret },
    });
    this.#asked = [
      ...[...talkers, caller].map((client) => client.talk()),
      ...this.#travellers.map((traveller) => traveller.travel()),
      stranger.reach(),
    ];
  }

  haveSeen(sessionId: string, workspace: string, head: number): boolean {
    const theirs = this.#followers.filter((follower) => follower.workspace === workspace);
    return theirs.every(({ seen }) => (seen.get(sessionId) ?? 0) >= head);
  }

  /** Has each node, and the agent that is alone, do something once more: what does not come back from a fault shows. */
  async rollCall(): Promise<void> {
    const signal = AbortSignal.timeout(CALM_MS);
    const called = NODES.map(async (node) => {
      const name = `talker-${node}`;
      const own = { ...this.#common(name), nodes: [node] as const, signal, sendsTwice: () => false };
      const asks = { agent: SOLE, enters: 0, tokens: 5 };
      await new Talker({ ...own, name, sender: new PatientSender(own), asks }).askOnce();
    });
    await Promise.all(called);
  }

  /** Resolves when whoever was away has come back, and has sent what they wrote. */
  async arrive(): Promise<void> {
    await Promise.all(this.#travellers.map((traveller) => traveller.arrive()));
  }

  /** Resolves when they have noted what they are shown. */
  async look(heads: ReadonlyMap<string, number>): Promise<void> {
    await Promise.all(this.#travellers.map((traveller) => traveller.look((id) => heads.get(id))));
  }

  /** Resolves when an answer is being given, and somebody hears it. */
  async speaking(): Promise<void> {
    const until = performance.now() + CALM_MS;
    const isHeard = ({ speaking }: Follower) => speaking.size > 0;
    while (!this.#followers.some(isHeard) && performance.now() < until) await sleep(20);
  }

  #common(name: string, workspace = CREW) {
    const { keys } = this.#world;
    return {
      urlOf: (node: NodeName) => this.#world.urlOf(node),
      ...{ workspace, journal: new ClientJournal(join(this.folder, name)) },
      key: workspace === CREW ? keys.crew : keys.stranger,
      random: new SeededRandom(`${name} of ${this.#options.seed}`),
    };
  }

  #sendsTwice(): boolean {
    if (this.habits.sendsTwice) this.habits.duplicated++;
    return this.habits.sendsTwice;
  }

  /** Two who read all there is on each node, and do not begin to for so long. */
  async #dawdle(forMs: number): Promise<void> {
    const lastId = this.#followers[0]?.firstId;
    if (lastId === undefined) return;
    await Promise.all(
      [...NODES, ...NODES].map((node) => {
        const own = this.#common(`dawdler${++this.#dawdlers}`);
        return dawdle({ ...own, url: own.urlOf(node), node, lastId, forMs });
      }),
    );
  }

  async stopAsking(): Promise<void> {
    this.#asking.abort();
    if (this.#receiver) this.#receiver.isReliable = true;
    await Promise.all(this.#asked);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#followers.map((follower) => follower.stop()));
    this.#receiver?.stop();
  }
}

function numbered(count: number, name: string): string[] {
  return Array.from({ length: count }, (_, place) => `${name}${place + 1}`);
}

function linesIn(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n").filter(Boolean);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
