import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import nodeOptions from "@parley/server/node-options.json" with { type: "json" };

const TICKS_PER_SECOND = 100;

export interface HopOptions {
  /** Relative to the benchmarks folder. */
  readonly program: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Where its CPU profile is written on exit. */
  readonly profile?: string | undefined;
  /** Whether `collected` is called. */
  readonly collects?: boolean;
}

const COLLECT = new URL("collect-garbage.ts", import.meta.url).href;

/** One process of the chain, and what it has used. */
export class Hop {
  readonly child: ChildProcess;

  constructor({ program, args = [], environment = {}, profile, collects = false }: HopOptions) {
    const path = fileURLToPath(new URL(`../${program}`, import.meta.url));
    const profiling = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
    const collecting = collects ? ["--expose-gc", "--import", COLLECT] : [];
    this.child = spawn(process.execPath, [...nodeOptions, ...profiling, ...collecting, path, ...args], {
      env: { PATH: process.env.PATH, PARLEY_LOG: "warn", ...environment },
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
  }

  /** The first match of the pattern in its output. */
  async said(pattern: RegExp): Promise<string> {
    let printed = "";
    for await (const data of this.child.stdout ?? []) {
      printed += data;
      const [found] = pattern.exec(printed) ?? [];
      if (found !== undefined) return found;
    }
    throw new Error(`It ended without saying ${pattern}: ${printed}`);
  }

  /** Sends it a message, and resolves with its reply. */
  ask<Reply>(message: object): Promise<Reply> {
    const { child } = this;
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const ended = () => reject(new Error("The process ended instead of a reply"));
    child.once("message", (reply) => resolve(reply as Reply)).once("exit", ended);
    child.send(message);
    return promise.finally(() => child.off("exit", ended));
  }

  /** CPU time so far, in microseconds, of all its threads. */
  get cpu(): number {
    const fields = readFileSync(`/proc/${this.child.pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / TICKS_PER_SECOND;
  }

  /** Resident memory in megabytes: current and peak. */
  get megabytes(): { readonly now: number; readonly most: number } {
    const status = readFileSync(`/proc/${this.child.pid}/status`, "utf8");
    const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
    return { now: of("VmRSS"), most: of("VmHWM") };
  }

  /** Resident memory in kilobytes after garbage collection. */
  async collected(): Promise<number> {
    const { rss } = await this.ask<NodeJS.MemoryUsage>({});
    return rss / 1_024;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, "exit");
    this.child.kill("SIGTERM");
    await ended;
  }
}
