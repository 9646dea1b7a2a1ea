import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cut } from "../schedule/fault.ts";

const BYTE_EVERY_MS = 1_000;

/** Where a way leads, and by which name of it answers are known on this side. */
export interface ProxyOptions {
  readonly port: number;
  readonly target: number;
  /** Whether answers name the target's own address, which has to be this one: both ports have as many digits. */
  readonly renames?: boolean;
}

/** A TCP proxy that injects faults on demand and is transparent otherwise. */
export class FaultyProxy {
  readonly port: number;
  /** The number of connections affected so far. */
  hits = 0;
  /** How often a slow reader made the writer wait. */
  holds = 0;
  readonly target: number;
  readonly #names: readonly [Buffer, Buffer] | undefined;
  readonly #pairs = new Set<Pair>();
  readonly #server: Server;
  #cut: Cut | undefined;

  private constructor({ port, target, renames }: ProxyOptions) {
    this.port = port;
    this.target = target;
    this.#names = renames
      ? [Buffer.from(`localhost:${target}`), Buffer.from(`localhost:${port}`)]
      : undefined;
    this.#server = createServer((client) => this.#join(client));
  }

  static async start(options: ProxyOptions): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(options);
    proxy.#server.listen(options.port, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  /** Starts this fault; a reset breaks open connections and does not affect new ones. */
  break(how: Cut): void {
    if (how !== "reset") {
      this.#cut = how;
      return;
    }
    this.hits += this.#pairs.size;
    for (const pair of this.#pairs) pair.reset();
  }

  /** Ends the fault for new connections: open ones do not recover. */
  mend(): void {
    this.#cut = undefined;
    for (const pair of this.#pairs) if (pair.isSpoiled) pair.reset();
  }

  /** Resolves when a client connects, or after this long. */
  async inUse(withinMs: number): Promise<void> {
    const until = performance.now() + withinMs;
    while (this.#pairs.size === 0 && performance.now() < until) await sleep(10);
  }

  async stop(): Promise<void> {
    for (const pair of this.#pairs) pair.reset();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(client: Socket): void {
    const target = connect({ host: "127.0.0.1", port: this.target, noDelay: true });
    const pair = new Pair(client, target, {
      ended: () => this.#pairs.delete(pair),
      spoiled: () => this.hits++,
      held: () => this.holds++,
    });
    this.#pairs.add(pair);
    client.on("data", (data: Buffer) => pair.pass(data, target, this.#cut));
    target.on("data", (data: Buffer) => pair.pass(this.#renamed(data), client, this.#cut));
  }

  #renamed(data: Buffer): Buffer {
    if (!this.#names) return data;
    const [from, to] = this.#names;
    for (let at = data.indexOf(from); at >= 0; at = data.indexOf(from, at)) to.copy(data, at);
    return data;
  }
}

/** Callbacks of a connection pair. */
interface PairNews {
  readonly ended: () => void;
  readonly spoiled: () => void;
  readonly held: () => void;
}

/** One connection with its other half. */
class Pair {
  /** Bytes were withheld, so later ones would make no sense. */
  isSpoiled = false;
  readonly #news: PairNews;
  readonly #client: Socket;
  readonly #target: Socket;

  constructor(client: Socket, target: Socket, news: PairNews) {
    this.#news = news;
    this.#client = client;
    this.#target = target;
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      socket.setNoDelay(true).on("error", () => this.reset());
      socket.on("end", () => this.isSpoiled || other.end());
      socket.on("close", () => {
        other.destroy();
        news.ended();
      });
    }
  }

  pass(data: Buffer, to: Socket, cut: Cut | undefined): void {
    if (this.isSpoiled) return;
    switch (cut) {
      case undefined:
      case "reset":
        if (!to.write(data)) this.#hold(to);
        return;
      case "black-hole":
        this.#spoil();
        return;
      case "one-byte-a-second":
        this.#spoil();
        this.#drip(data, to);
        return;
      case "mid-character": {
        const inside = insideCharacter(data);
        if (inside < 0 || to !== this.#client) to.write(data);
        else this.#cutAt(data.subarray(0, inside), to);
        return;
      }
      default:
        cut satisfies never;
    }
  }

  reset(): void {
    for (const socket of [this.#client, this.#target])
      if (socket.connecting) socket.destroy();
      else socket.resetAndDestroy();
  }

  #spoil(): void {
    this.isSpoiled = true;
    this.#news.spoiled();
  }

  #cutAt(data: Buffer, to: Socket): void {
    this.#spoil();
    to.write(data, () => this.reset());
  }

  #drip(data: Buffer, to: Socket): void {
    let at = 0;
    const timer = setInterval(() => {
      if (to.destroyed || at >= data.length) clearInterval(timer);
      else to.write(data.subarray(at, ++at));
    }, BYTE_EVERY_MS).unref();
  }

  #hold(to: Socket): void {
    const from = to === this.#client ? this.#target : this.#client;
    this.#news.held();
    from.pause();
    to.once("drain", () => from.resume());
  }
}

/** A place in these bytes where a character has begun and not ended; −1: there is none. */
function insideCharacter(data: Buffer): number {
  const lead = data.findIndex((byte) => byte >= 0xc2 && byte <= 0xf4);
  return lead < 0 || lead === data.length - 1 ? -1 : lead + 1;
}
