import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../schedule/fault.ts";
import { fillDisk } from "./fill-disk.ts";
import type { World } from "./world.ts";

/** What clients do differently for a while. */
export interface ClientHabits {
  sendsTwice: boolean;
  readsSlowly: boolean;
}

/** Lets a fault happen, and resolves when it is over and what it hit is up again. */
export async function inject(world: World, habits: ClientHabits, fault: Fault): Promise<void> {
  switch (fault.kind) {
    case "kill":
      return fault.target === "postgres"
        ? killDatabase(world, fault.forMs)
        : killProcess(world, fault.target, fault.forMs);
    case "restart-postgres":
      await world.database.shutDown();
      await sleep(fault.forMs);
      return world.database.startAgain();
    case "pause": {
      const process = world.processes.get(fault.target);
      process?.signal("SIGSTOP");
      await sleep(fault.forMs);
      process?.signal("SIGCONT");
      return;
    }
    case "cut": {
      const proxy = world.proxies.get(fault.hop);
      proxy?.break(fault.how);
      await sleep(fault.forMs);
      proxy?.mend();
      return;
    }
    case "full-disk": {
      const empty = fillDisk(world.options.disks[fault.disk]);
      await sleep(fault.forMs);
      empty();
      return;
    }
    case "clock": {
      const clock = world.clocks.get(fault.target);
      clock?.shift(fault.offsetMs);
      await sleep(fault.forMs);
      clock?.shift(0);
      return;
    }
    case "duplicates":
      habits.sendsTwice = true;
      await sleep(fault.forMs);
      habits.sendsTwice = false;
      return;
    case "slow-reader":
      habits.readsSlowly = true;
      await sleep(fault.forMs);
      habits.readsSlowly = false;
      return;
    default:
      fault satisfies never;
  }
}

async function killDatabase({ database }: World, forMs: number): Promise<void> {
  database.kill();
  await sleep(forMs);
  await database.startAgain();
}

async function killProcess({ processes }: World, name: string, forMs: number): Promise<void> {
  const process = [...processes.values()].find((each) => each.name === name);
  await process?.kill();
  await sleep(forMs);
  await process?.start();
}
