import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { freePort } from "@parley/testing/free-ports.ts";
import { onTestFinished } from "vitest";

/** A proxy to Postgres that can be cut and restored; it ends with the test. */
export class DatabaseProxy {
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((client) => this.#join(client));
  #port = 0;
  #isDeaf = false;

  private constructor(target: string) {
    this.#target = new URL(target);
  }

  static async start(target: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(target);
    await proxy.mend();
    onTestFinished(() => proxy.cut());
    return proxy;
  }

  /** The database URL through the proxy. */
  get url(): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${this.#port}`;
    return url.href;
  }

  /** From now on statements arrive but their responses do not, so their outcome is unknown. */
  swallowAnswers(): void {
    this.#isDeaf = true;
  }

  /** Breaks all connections, and refuses new ones. */
  cut(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Takes connections again, at the same address. */
  async mend(): Promise<void> {
    this.#isDeaf = false;
    this.#port ||= await freePort();
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  #join(client: Socket): void {
    const database = connect(Number(this.#target.port || 5432), this.#target.hostname);
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      this.#sockets.add(from);
      from.setNoDelay(true).on("error", () => to.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.on("data", (data) => (this.#isDeaf && from === database) || to.write(data));
    }
  }
}
