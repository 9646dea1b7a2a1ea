import type { RecordedCall, RunRecord } from "@parley/client";

/** What one agent did for a run: how it was asked, its own calls, and what it says. */
export interface Lane {
  readonly key: string;
  readonly agent: string;
  readonly delegation: RecordedCall;
  readonly calls: readonly RecordedCall[];
  /** What it has said so far, where that is not the answer itself. */
  readonly text: string;
}

/** The work of a run: lanes of agents that were asked, and calls that the running agent made itself. */
export interface Work {
  readonly lanes: readonly Lane[];
  readonly ownCalls: readonly RecordedCall[];
}

/** Sorts calls and texts by who they belong to: the request that they were for, or the last one to that agent. */
export function workOf({ toolCalls, texts }: Pick<RunRecord, "toolCalls" | "texts">): Work {
  const lanes: {
    key: string;
    agent: string;
    delegation: RecordedCall;
    calls: RecordedCall[];
    text: string;
  }[] = [];
  const ownCalls: RecordedCall[] = [];
  for (const [at, call] of toolCalls.entries()) {
    const { agent } = call;
    if (agent !== undefined && isDelegation(call))
      lanes.push({ key: `${call.id}/${at}`, agent, delegation: call, calls: [], text: "" });
    else (lanes.findLast((lane) => isOf(call, lane))?.calls ?? ownCalls).push(call);
  }
  for (const { channel, agent, text } of Object.values(texts)) {
    const lane = channel === "branch" ? lanes.findLast((each) => each.agent === agent) : undefined;
    if (lane) lane.text = text;
  }
  return { lanes, ownCalls };
}

/** Whether the tool of a call is an agent. */
export function isDelegation({ name, agent, parentCallId }: RecordedCall): boolean {
  return name === agent && parentCallId === undefined;
}

function isOf({ agent, parentCallId }: RecordedCall, lane: Lane): boolean {
  return parentCallId === undefined ? lane.agent === agent : lane.delegation.id === parentCallId;
}
