import { Backoff, NO_JITTER } from "@parley/journal";
import { RUN_EXTENSION } from "../../extension/extension-member.ts";
import { isObject, type Task } from "../../protocol/model.ts";
import { AgentTimeoutError } from "../client-errors.ts";
import type { ClientLimits } from "../client-options.ts";

/** Whether the agent reported the task's state as unknown. */
export function isUnknownState({ metadata }: Task): boolean {
  const extension = metadata?.[RUN_EXTENSION];
  const carried = isObject(extension) ? extension.carried : undefined;
  return isObject(carried) && carried.peerState === "unknown";
}

/** Paces the polling of a task: soon after news, then slower; gives up when its state stays unknown. */
export class PollClock {
  readonly #limits: ClientLimits;
  readonly #backoff: Backoff;
  #unknownSince: number | undefined;

  constructor(limits: ClientLimits) {
    this.#limits = limits;
    this.#backoff = new Backoff({ ...limits.poll, factor: 1.5, jitter: NO_JITTER });
  }

  /** Milliseconds until the next poll; throws when the state has been unknown for too long. */
  next({ news, unknown }: { readonly news: boolean; readonly unknown: boolean }): number {
    const { unknownState } = this.#limits;
    this.#unknownSince = unknown ? (this.#unknownSince ?? performance.now()) : undefined;
    if (this.#unknownSince !== undefined && performance.now() - this.#unknownSince > unknownState) {
      throw new AgentTimeoutError(`The agent has not known the task's state for ${unknownState} ms`);
    }
    if (news) this.#backoff.reset();
    return this.#backoff.next();
  }
}
