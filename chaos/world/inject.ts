import { setTimeout as sleep } from "node:timers/promises";
import { exchange } from "../clients/http-exchange.ts";
import type { Fault, NodeName } from "../schedule/fault.ts";
import { fillDisk } from "./fill-disk.ts";
import type { World } from "./world.ts";

const LOOK_EVERY_MS = 250;
const IN_USE_WITHIN_MS = 3_000;
const HALF_HOUR_MS = 1_800_000;

/** How clients behave differently for a while. */
export interface ClientHabits {
  sendsTwice: boolean;
  readsSlowly: boolean;
  /** How many commands went to both nodes. */
  duplicated: number;
  /** Reads all there is from the beginning, and does not begin to for so long. */
  readSlowly(forMs: number): Promise<void>;
}

/**
 * Lets a fault happen, and resolves when it is over and what it hit is up again, with how often it was felt: processes
 * stopped, connections spoiled, writes refused, answers with a wrong time. 0: it hit nothing.
 */
export async function inject(world: World, habits: ClientHabits, fault: Fault): Promise<number> {
  const before = feltBy(world, habits, fault);
  const felt = await happen(world, habits, fault);
  return felt + feltBy(world, habits, fault) - before;
}

/** The effect of a fault counted so far. */
function feltBy({ proxies, processes }: World, { duplicated }: ClientHabits, fault: Fault): number {
  const sum = (counts: Iterable<number>) => [...counts].reduce((all, one) => all + one, 0);
  switch (fault.kind) {
    case "cut":
      return proxies.get(fault.hop)?.hits ?? 0;
    case "full-disk": {
      const whose = fault.disk === "postgres" ? "node" : fault.disk;
      const hit = [...processes.values()].filter(({ name }) => name.startsWith(whose));
      return sum(hit.map(({ fullDisks }) => fullDisks));
    }
    case "duplicates":
      return duplicated;
    case "slow-reader":
      return sum([...proxies.values()].map(({ holds }) => holds));
    default:
      return 0;
  }
}

/** How often it had an effect, for faults observable only while they last. */
async function happen(world: World, habits: ClientHabits, fault: Fault): Promise<number> {
  switch (fault.kind) {
    case "kill":
      return fault.target === "postgres"
        ? killDatabase(world, fault.forMs)
        : killProcess(world, fault.target, fault.forMs);
    case "restart-postgres":
      await world.database.shutDown();
      await sleep(fault.forMs);
      await world.database.startAgain();
      return 1;
    case "pause": {
      const process = world.processes.get(fault.target);
      process?.signal("SIGSTOP");
      await sleep(fault.forMs);
      const felt = process?.isStopped ? 1 : 0;
      process?.signal("SIGCONT");
      return felt;
    }
    case "cut": {
      const proxy = world.proxies.get(fault.hop);
      // A reset is instantaneous: it waits briefly for a connection to hit.
      if (fault.how === "reset") await proxy?.inUse(IN_USE_WITHIN_MS);
      proxy?.break(fault.how);
      await sleep(fault.forMs);
      proxy?.mend();
      return 0;
    }
    case "full-disk": {
      const empty = fillDisk(world.options.disks[fault.disk]);
      await sleep(fault.forMs);
      empty();
      return 0;
    }
    case "clock": {
      const clock = world.clocks.get(fault.target);
      clock?.shift(fault.offsetMs);
      const felt = await wrongTimes(world, fault.target, fault.forMs);
      clock?.shift(0);
      return felt;
    }
    case "duplicates":
      habits.sendsTwice = true;
      await sleep(fault.forMs);
      habits.sendsTwice = false;
      return 0;
    case "slow-reader":
      habits.readsSlowly = true;
      await habits.readSlowly(fault.forMs);
      habits.readsSlowly = false;
      return 0;
    default:
      return fault satisfies never;
  }
}

/** The number of a node's responses with a wrong date within this time. */
async function wrongTimes(world: World, node: NodeName, forMs: number): Promise<number> {
  const until = performance.now() + forMs;
  let wrong = 0;
  while (performance.now() < until) {
    const url = `${world.directUrlOf(node)}/healthz`;
    const answer = await exchange(url, { method: "GET", idleTimeoutMs: 1_000 }).catch(() => undefined);
    if (answer?.date && Math.abs(Date.parse(answer.date) - Date.now()) > HALF_HOUR_MS) wrong++;
    await sleep(Math.min(LOOK_EVERY_MS, Math.max(0, until - performance.now())));
  }
  return wrong;
}

async function killDatabase({ database }: World, forMs: number): Promise<number> {
  database.kill();
  await sleep(forMs);
  await database.startAgain();
  return 1;
}

async function killProcess({ processes }: World, name: string, forMs: number): Promise<number> {
  const process = [...processes.values()].find((each) => each.name === name);
  const felt = process?.pid === undefined ? 0 : 1;
  await process?.kill();
  await sleep(forMs);
  await process?.start();
  return felt;
}
