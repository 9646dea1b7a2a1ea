import type { RecordedCall, RunRecord } from "../sync/session-record.ts";

/** What one agent did for a run: how it was asked, its own calls, and the artifacts that it streamed. */
export interface Lane {
  readonly key: string;
  readonly agent: string;
  readonly delegation: RecordedCall;
  readonly calls: readonly RecordedCall[];
  /** Ids of artifacts. */
  readonly texts: readonly string[];
}

/** The work of a run: lanes of agents that were asked, and calls that the running agent made itself. */
export interface RunWork {
  readonly lanes: readonly Lane[];
  readonly ownCalls: readonly RecordedCall[];
}

/** Sorts calls and texts by who they belong to: the request that they were for, or the last one to that agent. */
export function workOf({ toolCalls, texts }: Pick<RunRecord, "toolCalls" | "texts">): RunWork {
  const lanes: (Lane & { calls: RecordedCall[]; texts: string[] })[] = [];
  const ownCalls: RecordedCall[] = [];
  for (const [at, call] of toolCalls.entries()) {
    const { agent } = call;
    if (agent !== undefined && isDelegation(call))
      lanes.push({ key: `${call.id}/${at}`, agent, delegation: call, calls: [], texts: [] });
    else (lanes.findLast((lane) => isOf(call, lane))?.calls ?? ownCalls).push(call);
  }
  for (const [id, { channel, agent }] of Object.entries(texts))
    if (channel === "branch") lanes.findLast((lane) => lane.agent === agent)?.texts.push(id);
  return { lanes, ownCalls };
}

/** Whether the tool of a call is an agent. */
export function isDelegation({ name, agent, parentCallId }: RecordedCall): boolean {
  return name === agent && parentCallId === undefined;
}

function isOf({ agent, parentCallId }: RecordedCall, lane: Lane): boolean {
  return parentCallId === undefined ? lane.agent === agent : lane.delegation.id === parentCallId;
}
