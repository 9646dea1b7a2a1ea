import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { SeededRandom } from "../schedule/seeded-random.ts";
import type { ClientJournal } from "./client-journal.ts";

/** A receiver of webhooks that now and then fails, or does not answer. */
export class UnreliableReceiver {
  readonly #server: Server;
  /** Whether it accepts every webhook. */
  isReliable = false;

  private constructor(journal: ClientJournal, random: SeededRandom) {
    this.#server = createServer(async (request, response) => {
      const body = await text(request);
      const luck = this.isReliable ? 1 : random.next();
      const taken = luck >= 0.2;
      journal.note({ webhook: String(request.headers["webhook-id"]), text: body, taken });
      // A destroyed socket stands in for a timeout, and is faster.
      if (luck < 0.05) request.socket.destroy();
      else response.writeHead(taken ? 204 : 500).end();
    });
  }

  static async start(journal: ClientJournal, random: SeededRandom): Promise<UnreliableReceiver> {
    const receiver = new UnreliableReceiver(journal, random);
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
