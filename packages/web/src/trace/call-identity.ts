/** What tells a call from all others of its run: agents number theirs alike. */
interface NamedCall {
  readonly callId: string;
  readonly agent?: string | undefined;
  readonly parentCallId?: string | undefined;
  readonly taskId?: string | undefined;
}

/** A name for a call within its run, the same in its events and in what is shown of it. */
export function callIdentity({ callId, agent, parentCallId, taskId }: NamedCall): string {
  return JSON.stringify([callId, agent, parentCallId, taskId]);
}
