import { A2AError } from "@parley/a2a";
import type { Lease } from "@parley/journal";
import type { Run } from "../domain/session-state.ts";
import type { AgentAddress } from "./agent-calls.ts";
import { endingOf } from "./run-ending.ts";
import type { RunMemory } from "./run-memory.ts";
import type { RunRecord } from "./run-record.ts";
import { noteEnded } from "./run-retention.ts";
import type { RunReference, RunSetting } from "./run-setting.ts";

export interface RunClosingOptions {
  readonly setting: RunSetting;
  readonly run: RunReference;
  readonly lease: Lease;
  readonly memory: RunMemory;
}

/** All that the end of a run takes. */
export class RunClosing {
  readonly #options: RunClosingOptions;

  constructor(options: RunClosingOptions) {
    this.#options = options;
  }

  /** Records how the run ended; throws RunEndedError if it has ended already. */
  async conclude(
    record: RunRecord,
    { id: runId, agent }: Run,
    { state, reason, by }: { state: "completed" | "failed"; reason?: string | undefined; by: AgentAddress },
  ): Promise<void> {
    const { transform, told: heard } = this.#options.memory;
    const standIn = by.agent === agent ? undefined : by.agent;
    const ending = { runId, state, reason, usage: transform.usage, heard, standIn };
    await record.conclude({ ended: state }, (session) => endingOf(session, ending));
    await this.#noteEnded(state);
  }

  /** The session says that the run is over: the agent is told if it does not know. */
  async settle(run: Run | undefined, by: AgentAddress | undefined): Promise<void> {
    const { setting, lease } = this.#options;
    const status = run?.status ?? "gone";
    if (by && status === "cancelled") await this.cancel(by);
    await setting.journal.append(lease.stream, [{ ended: status }], { epoch: lease.epoch });
    await this.#noteEnded(status);
  }

  /** Asks the agent to stop; whatever it does, the run is over. */
  async cancel(address: AgentAddress): Promise<void> {
    const { setting, run, memory } = this.#options;
    const { taskId, isOver } = memory.transform;
    if (taskId === undefined || isOver) return;
    const principal = await setting.session(run.sessionId).current();
    try {
      const client = await setting.agents.clientFor(address, principal);
      await client.cancel({ id: taskId }, { signal: AbortSignal.timeout(setting.limits.cancelMs) });
    } catch (error) {
      // An A2AError says that it has ended, or cannot be canceled.
      if (!(error instanceof A2AError)) setting.observer.undelivered(run, error as Error);
    }
  }

  async #noteEnded(state: string): Promise<void> {
    const { setting, run } = this.#options;
    await noteEnded(setting.journal, run.runId);
    setting.observer.ended(run, state);
  }
}
