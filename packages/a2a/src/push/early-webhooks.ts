import { createHash } from "node:crypto";
import { EventsTrimmedError, type Journal, UnknownStreamError } from "@parley/journal";
import type { TaskEvent } from "../tasks/task-events.ts";

/** The event that sets a webhook. */
export type Registration = Extract<TaskEvent, { pushConfigured: unknown }>;

/**
 * Webhooks that a v0.1 client sets before it sends the task, as the protocol's documents draw it: there the client
 * chooses the id. They wait for their task like contexts wait for their next one, and are forgotten like these.
 */
export class EarlyWebhooks {
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async keep(owner: string, taskId: string, registration: Registration): Promise<void> {
    await this.#journal.append(streamOf(owner, taskId), [registration], { urgent: true });
  }

  /** The one that was set last. */
  async find(owner: string, taskId: string): Promise<Registration | undefined> {
    const stream = streamOf(owner, taskId);
    try {
      const head = await this.#journal.head(stream);
      const [last] = await this.#journal.read<Registration>(stream, head - 1, 1);
      return last?.payload;
    } catch (error) {
      if (error instanceof UnknownStreamError || error instanceof EventsTrimmedError) return undefined;
      throw error;
    }
  }
}

function streamOf(owner: string, taskId: string): string {
  return `context/webhook-${createHash("sha256").update(`${owner}\0${taskId}`).digest("base64url")}`;
}
