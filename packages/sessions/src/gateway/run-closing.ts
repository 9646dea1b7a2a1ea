import { A2AError } from "@parley/a2a";
import type { Lease } from "@parley/journal";
import type { Principal } from "../domain/session-command.ts";
import type { Run } from "../domain/session-state.ts";
import type { AgentAddress, AgentCalls } from "./agent-calls.ts";
import { endingOf } from "./run-ending.ts";
import type { RunMemory } from "./run-memory.ts";
import type { RunReference } from "./run-queue.ts";
import type { RunRecord } from "./run-record.ts";
import { noteEnded } from "./run-retention.ts";
import type { RunSetting } from "./run-setting.ts";

export interface RunClosingOptions {
  readonly setting: RunSetting;
  readonly run: RunReference;
  readonly lease: Lease;
  readonly memory: RunMemory;
}

/** All that the end of a run asks for. */
export class RunClosing {
  readonly #options: RunClosingOptions;

  constructor(options: RunClosingOptions) {
    this.#options = options;
  }

  /** Records how the run ended; RunEndedError where somebody was quicker. */
  async conclude(
    record: RunRecord,
    { id: runId, agent }: Run,
    { state, reason, by }: { state: "completed" | "failed"; reason?: string | undefined; by: AgentAddress },
  ): Promise<void> {
    const { transform, told: heard } = this.#options.memory;
    const standIn = by.agent === agent ? undefined : by.agent;
    const ending = { runId, state, reason, usage: transform.usage, heard, standIn };
    await record.conclude({ ended: state }, (session) => endingOf(session, ending));
    await this.#noted(state);
  }

  /** The session says that it is over: the agent is told, if it does not know. */
  async settle(run: Run | undefined, by: AgentAddress | undefined): Promise<void> {
    const { setting, lease } = this.#options;
    const status = run?.status ?? "gone";
    if (by && status === "cancelled") await this.cancel(by);
    await setting.journal.append(lease.stream, [{ ended: status }], { epoch: lease.epoch });
    await this.#noted(status);
  }

  /** Stops the agent's work, as far as it lets itself be stopped. */
  async cancel(address: AgentAddress): Promise<void> {
    const { setting, run, memory } = this.#options;
    const { taskId, isOver } = memory.transform;
    if (taskId === undefined || isOver) return;
    const milliseconds = setting.limits.cancelMs;
    const principal = await setting.session(run.sessionId).current();
    const error = await cancelTask(setting.agents, address, { principal, taskId, milliseconds });
    if (error) setting.observer.unheard(run, error);
  }

  async #noted(state: string): Promise<void> {
    const { setting, run } = this.#options;
    await noteEnded(setting.journal, run.runId);
    setting.observer.ended(run, state);
  }
}

/** Asks an agent to stop its task. Whatever it does, the run is over: only what kept it from hearing is given back. */
async function cancelTask(
  agents: AgentCalls,
  address: AgentAddress,
  asked: { readonly principal: Principal; readonly taskId: string; readonly milliseconds: number },
): Promise<Error | undefined> {
  const { principal, taskId, milliseconds } = asked;
  try {
    const client = await agents.clientFor(address, principal);
    await client.cancel({ id: taskId }, { signal: AbortSignal.timeout(milliseconds) });
    return undefined;
  } catch (error) {
    // It has ended, or cannot be cancelled.
    return error instanceof A2AError ? undefined : (error as Error);
  }
}
