import type { ApiClient } from "@parley/client";
import { RecordedConversation } from "./recorded-conversation.ts";

const PAGE = 1_000;

/** A session as its events tell, up to where it was read. */
export class FollowedSession {
  readonly id: string;
  readonly conversation = new RecordedConversation();
  readonly #client: ApiClient;
  #index = 0;

  constructor(client: ApiClient, id: string) {
    this.id = id;
    this.#client = client;
  }

  /** Reads what is new, each event once. */
  async catchUp(): Promise<RecordedConversation> {
    for (;;) {
      const cursor = String(this.#index);
      const { events, next } = await this.#client.listEvents(this.id, { limit: PAGE, cursor });
      for (const event of events) {
        this.conversation.accept(event);
        this.#index = event.index;
      }
      if (next === null) return this.conversation;
    }
  }
}
