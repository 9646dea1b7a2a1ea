import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { StreamedEvent, StreamResponse, TaskState } from "@parley/a2a";
import { patient } from "@parley/testing/patient.ts";

/** A reader of one stream, who keeps what came. */
export class Reading {
  readonly events: StreamResponse[] = [];
  readonly #ended: Promise<void>;
  readonly #changed = new EventTarget();
  isOver = false;

  constructor(stream: AsyncIterable<StreamedEvent>) {
    this.#ended = this.#read(stream).finally(() => {
      this.isOver = true;
      this.#changed.dispatchEvent(new Event("change"));
    });
    // Whoever waits for the end hears of it.
    this.#ended.catch(() => {});
  }

  get taskId(): string {
    const first = this.events.find((event) => "task" in event);
    return first?.task.id ?? "";
  }

  get state(): TaskState | undefined {
    const last = this.events.findLast((event) => "task" in event || "statusUpdate" in event);
    if (!last) return undefined;
    return "task" in last ? last.task.status.state : last.statusUpdate.status.state;
  }

  /** Resolves when the stream has ended; rejects when it does not in time. */
  async end(promisedMs: number): Promise<void> {
    // Before the test itself is given up, which would not say how far the answer has come.
    const withinMs = Math.min(patient(promisedMs), 150_000);
    const late = new AbortController();
    const timeout = sleep(withinMs, undefined, { signal: late.signal }).then(() => {
      throw new Error(`After ${withinMs} ms the answer is still ${this.state}: ${this.events.length} events`);
    });
    try {
      await Promise.race([this.#ended, timeout]);
    } finally {
      late.abort();
      timeout.catch(() => {});
    }
  }

  /** Resolves when something of this kind has come, or all has. */
  async until(wanted: (event: StreamResponse) => boolean): Promise<void> {
    for (let seen = 0; ; ) {
      for (; seen < this.events.length; seen++) {
        const event = this.events[seen];
        if (event && wanted(event)) return;
      }
      if (this.isOver) return;
      await once(this.#changed, "change");
    }
  }

  async #read(stream: AsyncIterable<StreamedEvent>): Promise<void> {
    for await (const { event } of stream) {
      this.events.push(event);
      this.#changed.dispatchEvent(new Event("change"));
    }
  }
}
