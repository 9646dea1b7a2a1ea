import { Backoff, NO_JITTER } from "@parley/journal";
import { RUN_EXTENSION } from "../../extension/extension-member.ts";
import { isObject, type Task } from "../../protocol/model.ts";
import { AgentTimeoutError } from "../client-errors.ts";
import type { ClientLimits } from "../client-limits.ts";

/** Whether the agent itself does not know how the task stands, which the dialects note as they read it. */
export function isUnknownState({ metadata }: Task): boolean {
  const extension = metadata?.[RUN_EXTENSION];
  const carried = isObject(extension) ? extension.carried : undefined;
  return isObject(carried) && carried.peerState === "unknown";
}

/** Says when to look at a task again: soon after news, later when nothing happens; not for ever at an unknown state. */
export class PollClock {
  readonly #limits: ClientLimits;
  readonly #backoff: Backoff;
  #unknownSince: number | undefined;

  constructor(limits: ClientLimits) {
    this.#limits = limits;
    this.#backoff = new Backoff({ ...limits.poll, factor: 1.5, jitter: NO_JITTER });
  }

  /** Milliseconds until the next look; throws when the state has been unknown for too long. */
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
