import type { Evidence, LoggedStream } from "../evidence/evidence.ts";
import { type Finding, findingOn, type Invariant, together, type Violation } from "./invariant.ts";

/** Each webhook delivers the task's logged events in order under a stable id, and the terminal state is delivered. */
export const webhooks: Invariant = {
  id: "14",
  promise: "webhooks: at least once, in order per task, stable id, never before commit",
  check: (evidence) => together(inOrder(evidence), terminalStatesDelivered(evidence)),
};

function inOrder({ streams, webhooks: all }: Evidence): Finding {
  const indexOfId = new Map<string, number>();
  const reached = new Map<string, number>();
  return findingOn(all, ({ id, text, taken }): Violation | undefined => {
    const stream = streams.get(`task/${taskIn(text)}`);
    if ((stream?.trimmed ?? 0) > 0) return undefined;
    const event = stream?.events.find(({ json }) => json === text);
    if (!stream || !event) return { what: `webhook ${id} tells what no log has`, found: text };
    const place = { stream: stream.name, index: event.index };
    const before = indexOfId.get(id);
    indexOfId.set(id, event.index);
    if (before !== undefined)
      // It may be repeated when its sender died before it saw the acknowledgement.
      return before === event.index
        ? undefined
        : { what: `webhook ${id} delivered ${before} before`, ...place };
    const last = reached.get(stream.name) ?? 0;
    if (taken) reached.set(stream.name, Math.max(last, event.index));
    return event.index < last ? { what: `webhook ${id} came after that of ${last}`, ...place } : undefined;
  });
}

function terminalStatesDelivered({ streams, calls, webhooks: all, waitingWebhooks }: Evidence): Finding {
  const delivered = new Set(all.filter(({ taken }) => taken).map(({ text }) => text));
  const settled = calls.filter(({ taskId }) => taskId !== undefined && !waitingWebhooks.has(taskId));
  const tasks = settled.flatMap(({ taskId }) => streams.get(`task/${taskId}`) ?? []);
  return findingOn(tasks, (stream: LoggedStream) => {
    const end = stream.events.findLast(({ json }) => json.startsWith('{"statusUpdate":'));
    if (!end || delivered.has(end.json)) return undefined;
    return {
      what: "the last status was never delivered",
      stream: stream.name,
      index: end.index,
      expected: end.json,
    };
  });
}

function taskIn(text: string): string {
  const { statusUpdate, task, artifactUpdate } = JSON.parse(text);
  return statusUpdate?.taskId ?? artifactUpdate?.taskId ?? task?.id;
}
