import { randomUUID } from "node:crypto";
import type { AskedAgent } from "./run-frame.ts";

interface DispatchedRequest {
  /** As in its frame: if the run has another one, another node has sent it since. */
  readonly id: string;
  readonly isSent: boolean;
  readonly taskId?: string | undefined;
}

/** Which messages this process sent to agents and which tasks they began, also while the storage cannot record it. */
export class DispatchedRequests {
  readonly #byRun = new Map<string, DispatchedRequest>();

  /** A message is sent once `record` has resolved. */
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

  /** The task that a recorded request began; `askAgent` is called where this process does not know. */
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
