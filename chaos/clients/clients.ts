import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { NODES, type NodeName } from "../schedule/fault.ts";
import { SeededRandom } from "../schedule/seeded-random.ts";
import { SOLE } from "../world/agent-files.ts";
import type { ClientHabits } from "../world/inject.ts";
import { CREW, INTRUDERS } from "../world/keys.ts";
import type { World } from "../world/world.ts";
import { Attacker } from "./attacker.ts";
import { Belongings } from "./belongings.ts";
import { Caller } from "./caller.ts";
import { ClientJournal } from "./client-journal.ts";
import { Follower } from "./follower.ts";
import { exchange } from "./http-exchange.ts";
import { Intruder } from "./intruder.ts";
import { OfflineClient } from "./offline-client.ts";
import { PatientSender } from "./patient-sender.ts";
import { slowConsumer } from "./slow-consumer.ts";
import { type Asks, Talker } from "./talker.ts";
import { UnreliableReceiver } from "./webhook-receiver.ts";

const TALKERS = 4;
const FOLLOWERS = 3;
const OFFLINE_CLIENTS = 2;
const MAX_WAIT_MS = 90_000;

export interface ClientsOptions {
  readonly seed: number;
  readonly asks?: Asks | undefined;
}

/** All clients of the platform. */
export class Clients {
  readonly folder: string;
  readonly habits: ClientHabits = {
    ...{ sendsTwice: false, readsSlowly: false, duplicated: 0 },
    readSlowly: (forMs) => this.#readSlowly(forMs),
  };
  readonly #world: World;
  readonly #options: ClientsOptions;
  readonly #asking = new AbortController();
  #followers: Follower[] = [];
  #offlineClients: OfflineClient[] = [];
  #slowConsumers = 0;
  #asked: Promise<void>[] = [];
  #receiver: UnreliableReceiver | undefined;
  #attacker: Attacker | undefined;
  #intruder: Intruder | undefined;

  constructor(world: World, folder: string, options: ClientsOptions) {
    this.#world = world;
    this.folder = folder;
    this.#options = options;
  }

  async start(): Promise<void> {
    const { signal } = this.#asking;
    const { keys } = this.#world;
    const belongings = new Belongings(await this.#upload(keys.crew));
    const common = (name: string, workspace?: string) => this.#common(name, workspace);
    const { journal, random } = common("receiver");
    const receiver = await UnreliableReceiver.start(journal, random);
    this.#receiver = receiver;
    this.#followers = numbered(FOLLOWERS, "follower").map(
      // The last one is the slow one.
      (name, place) =>
        new Follower({ ...common(name), isSlow: () => place === FOLLOWERS - 1 && this.habits.readsSlowly }),
    );
    this.#followers.push(new Follower({ ...common("follower-intruder", INTRUDERS), isSlow: () => false }));
    // From now on, each follower has to receive every event.
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
      talker("talker-intruder", INTRUDERS),
    ];
    const name = "caller1";
    const caller = new Caller({ ...common(name), name, webhook: receiver.url, belongings, signal });
    this.#offlineClients = numbered(OFFLINE_CLIENTS, "offlineClient").map(
      (each) => new OfflineClient({ ...common(each), name: each, signal }),
    );
    const { revoked, intruder: shown } = keys;
    const forged = keys.crew.slice(0, -4) + (keys.crew.endsWith("AAAA") ? "BBBB" : "AAAA");
    this.#intruder = new Intruder({
      ...{ ...common("intruder1", INTRUDERS), belongings, signal },
      keys: {
        ...{ intruder: shown, onlooker: keys.onlooker, landlord: keys.landlord },
        ...{ nobody: undefined, forged, revoked: revoked.secret },
      },
    });
    this.#attacker = new Attacker({ ...common("attacker1", INTRUDERS), bystander: keys.crew, signal });
    this.#asked = [
      ...[...talkers, caller].map((client) => client.talk()),
      ...this.#offlineClients.map((offlineClient) => offlineClient.run()),
      this.#intruder.reach(),
      this.#attacker.attack(),
    ];
  }

  haveSeen(sessionId: string, workspace: string, head: number): boolean {
    const theirs = this.#followers.filter((follower) => follower.workspace === workspace);
    return theirs.every(({ seen }) => (seen.get(sessionId) ?? 0) >= head);
  }

  /** Uses each node and the standalone agent once more, to reveal a target that did not recover from a fault. */
  async rollCall(): Promise<void> {
    const signal = AbortSignal.timeout(MAX_WAIT_MS);
    const called = NODES.map(async (node) => {
      const name = `talker-${node}`;
      const own = { ...this.#common(name), nodes: [node] as const, signal, sendsTwice: () => false };
      const asks = { agent: SOLE, enters: 0, tokens: 5 };
      await new Talker({ ...own, name, sender: new PatientSender(own), asks }).askOnce();
    });
    await Promise.all(called);
  }

  /** Resolves when all offline clients are online again and have flushed their queues. */
  async arrive(): Promise<void> {
    await Promise.all(this.#offlineClients.map((offlineClient) => offlineClient.arrive()));
  }

  /** Attacks each node once more, without any other fault. */
  async attackInCalm(): Promise<void> {
    await this.#intruder?.reachInCalm();
    await this.#attacker?.attackInCalm();
  }

  /** Resolves when the offline clients have recorded what they show. */
  async look(heads: ReadonlyMap<string, number>): Promise<void> {
    await Promise.all(this.#offlineClients.map((offlineClient) => offlineClient.look((id) => heads.get(id))));
  }

  /** Resolves when a run is streaming and a follower receives it. */
  async speaking(): Promise<void> {
    const until = performance.now() + MAX_WAIT_MS;
    const isFollowing = ({ speaking }: Follower) => speaking.size > 0;
    while (!this.#followers.some(isFollowing) && performance.now() < until) await sleep(20);
  }

  #common(name: string, workspace = CREW) {
    const { keys } = this.#world;
    return {
      urlOf: (node: NodeName) => this.#world.urlOf(node),
      ...{ workspace, journal: new ClientJournal(join(this.folder, name)) },
      key: workspace === CREW ? keys.crew : keys.intruder,
      random: new SeededRandom(`${name} of ${this.#options.seed}`),
    };
  }

  /** Uploads a file, and returns its id. */
  async #upload(key: string): Promise<string> {
    const { text } = await exchange(`${this.#world.urlOf("node-a")}/api/v1/files`, {
      ...{ method: "POST", idleTimeoutMs: MAX_WAIT_MS, key },
      ...{ headers: { "x-file-name": "letter.txt" }, body: { letter: "To the crew alone" } },
    });
    return JSON.parse(text).file.id;
  }

  #sendsTwice(): boolean {
    if (this.habits.sendsTwice) this.habits.duplicated++;
    return this.habits.sendsTwice;
  }

  /** Two slow consumers per node that read everything, but only after this delay. */
  async #readSlowly(forMs: number): Promise<void> {
    const lastId = this.#followers[0]?.firstId;
    if (lastId === undefined) return;
    await Promise.all(
      [...NODES, ...NODES].map((node) => {
        const own = this.#common(`slowConsumer${++this.#slowConsumers}`);
        return slowConsumer({ ...own, url: own.urlOf(node), node, lastId, forMs });
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
