import { readFileSync } from "node:fs";
import { exchange } from "../clients/http-exchange.ts";
import { NODES } from "../schedule/fault.ts";
import type { World } from "./world.ts";

const EVERY_MS = 1_000;

/** Looks at the nodes once a second from outside: their memory, and what they measure themselves. */
export class Watcher {
  readonly peakMb = new Map<string, number>();
  /** The number of memory samples per node. */
  readonly looks = new Map<string, number>();
  /** The newest figures of each life of each node. */
  readonly #figures = new Map<string, ReadonlyMap<string, number>>();
  readonly #world: World;
  readonly #timer: NodeJS.Timeout;

  constructor(world: World) {
    this.#world = world;
    this.#timer = setInterval(() => void this.#look(), EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** What all nodes measured in all their lives, summed up by name. */
  get metrics(): Map<string, number> {
    const sums = new Map<string, number>();
    for (const figures of this.#figures.values())
      for (const [name, value] of figures) sums.set(name, (sums.get(name) ?? 0) + value);
    return sums;
  }

  async #look(): Promise<void> {
    for (const { name, pid } of this.#world.processes.values()) {
      const mb = pid === undefined ? 0 : residentMb(pid);
      if (mb > 0) this.looks.set(name, (this.looks.get(name) ?? 0) + 1);
      this.peakMb.set(name, Math.max(this.peakMb.get(name) ?? 0, mb));
    }
    for (const node of NODES) {
      const life = `${node}.${this.#world.processes.get(node)?.life}`;
      // Through the same faulty proxy as any client: failed reads are repeated.
      const url = `${this.#world.urlOf(node)}/metrics`;
      const answer = await exchange(url, {
        ...{ method: "GET", idleTimeoutMs: EVERY_MS, key: this.#world.keys.operator },
      }).catch(() => undefined);
      if (answer?.status === 200) this.#figures.set(life, figuresIn(answer.text));
    }
  }
}

function residentMb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    // One that is just ending has none.
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    return 0; // It has just ended.
  }
}

function figuresIn(text: string): Map<string, number> {
  const figures = new Map<string, number>();
  for (const [, name = "", value] of text.matchAll(/^(\w+)(?:\{[^}]*\})? ([\d.e+-]+)/gm))
    figures.set(name, (figures.get(name) ?? 0) + Number(value));
  return figures;
}
