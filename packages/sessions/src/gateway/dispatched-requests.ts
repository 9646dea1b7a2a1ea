import { randomUUID } from "node:crypto";
import type { AskedAgent } from "./run-frame.ts";

interface Asking {
  /** As its frame names it: if the run has another one, somebody else has asked meanwhile. */
  readonly id: string;
  readonly isSent: boolean;
  readonly taskId?: string | undefined;
}

/**
 * What this process knows of its messages to agents, and the record may not, because the storage went away: whether
 * they were sent, and which task they began. An agent that cannot be asked for it need not be.
 */
export class DispatchedRequests {
  readonly #byRun = new Map<string, Asking>();

  /** A message is about to be sent once `record` has put it down. */
  async note(runId: string, record: (asking: string) => Promise<void>): Promise<void> {
    const id = randomUUID();
    this.#byRun.set(runId, { id, isSent: false });
    await record(id);
    this.#byRun.set(runId, { id, isSent: true });
  }

  noteTask(runId: string, taskId: string | undefined): void {
    const own = this.#byRun.get(runId);
    if (own && own.taskId !== taskId) this.#byRun.set(runId, { ...own, taskId });
  }

  /** The task that began with what the record says was asked; `askAgent` is the way of those who do not know. */
  async begunBy(
    runId: string,
    { asking }: AskedAgent,
    askAgent: () => Promise<string | undefined>,
  ): Promise<string | undefined> {
    const own = this.#byRun.get(runId);
    if (own === undefined || own.id !== asking) return askAgent();
    return own.isSent ? (own.taskId ?? askAgent()) : undefined;
  }

  forget(runId: string): void {
    this.#byRun.delete(runId);
  }
}
