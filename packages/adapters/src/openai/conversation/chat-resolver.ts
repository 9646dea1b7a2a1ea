import { KeyedMutex } from "@parley/journal";
import { historyHashes } from "@parley/sessions";
import type { AdapterHost } from "../../adapter-host.ts";
import { Problem } from "../../problem.ts";
import type { ChatCommand, RunPartRef } from "./chat-command.ts";
import { ChatResolution, SessionChangedError } from "./chat-resolution.ts";
import type { DeliveryReceipts } from "./delivery-receipts.ts";

/** How often a request is resolved again because the session has changed. */
const MAX_ATTEMPTS = 10;

/** Resolves requests whose messages have no ids; the same one sent twice at once leads to the same run. */
export class ChatResolver {
  readonly #host: AdapterHost;
  readonly #receipts: DeliveryReceipts;
  readonly #mutex = new KeyedMutex();

  constructor(host: AdapterHost, receipts: DeliveryReceipts) {
    this.#host = host;
    this.#receipts = receipts;
  }

  resolve(command: ChatCommand): Promise<RunPartRef> {
    const resolution = new ChatResolution(this.#host, this.#receipts, command);
    return this.#mutex.run(mutexKey(command), async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          const part = await resolution.resolve();
          await this.#receipts.request(command.principal, part.sessionId, part.runId);
          return part;
        } catch (error) {
          if (!(error instanceof SessionChangedError)) throw error;
          if (attempt >= MAX_ATTEMPTS)
            throw new Problem("unavailable", "Session is busy; retry", { retryAfter: 1 });
        }
      }
    });
  }
}

/** The same for requests that may be the same. */
function mutexKey({ principal: { workspace, owner }, target, transcript, key }: ChatCommand): string {
  const { history, newest } = transcript;
  const byTarget = () =>
    target.kind === "history"
      ? historyHashes([...history, newest]).at(-1)
      : target.kind === "session"
        ? target.id
        : target.sessionId;
  return JSON.stringify([workspace, owner, key ?? byTarget()]);
}
