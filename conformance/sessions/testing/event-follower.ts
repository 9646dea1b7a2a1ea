import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { sseFrames } from "../../testing/sse-frames.ts";
import type { ApiEvent } from "./api-client.ts";

const RECONNECT_MS = 50;

/** A client of the event stream that reconnects by `Last-Event-ID` whenever it is cut, until the test ends. */
export class EventFollower {
  readonly events: ApiEvent[] = [];
  /** The stream's control events, by name. */
  readonly notices: string[] = [];
  connections = 0;
  readonly #urls: readonly string[];
  readonly #ended = new AbortController();
  #lastId = "";

  /** With several addresses, it tries the next one after each cut. */
  constructor(urls: string | readonly string[], sessionIds: readonly string[] = []) {
    const query = sessionIds.map((id) => `session_ids[]=${encodeURIComponent(id)}`).join("&");
    this.#urls = [urls].flat().map((url) => `${url}/api/v1/events?${query}`);
    onTestFinished(() => this.#ended.abort());
    void this.#follow();
  }

  /** Resolves when it is connected for the first time, and so follows from now on. */
  async ready(): Promise<this> {
    await expect.poll(() => this.notices).toContain("ready");
    return this;
  }

  /** The events of one session, in order of arrival. */
  of(sessionId: string): ApiEvent[] {
    return this.events.filter((event) => event.sessionId === sessionId);
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ended;
    for (let place = 0; !signal.aborted; place = (place + 1) % this.#urls.length) {
      try {
        const headers = this.#lastId === "" ? undefined : { "Last-Event-ID": this.#lastId };
        const response = await fetch(this.#urls[place] ?? "", { signal, ...(headers && { headers }) });
        this.connections++;
        if (response.ok) await this.#read(response);
        else await response.body?.cancel();
      } catch {
        // An injected cut.
      }
      await sleep(RECONNECT_MS);
    }
  }

  async #read(response: Response): Promise<void> {
    for await (const { id, event, data } of sseFrames(response)) {
      if (event === undefined) this.events.push(data as ApiEvent);
      else this.notices.push(event);
      this.#lastId = id ?? this.#lastId;
    }
  }
}
