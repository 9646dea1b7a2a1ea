import { setTimeout as sleep } from "node:timers/promises";
import type { Task } from "@parley/a2a";
import { isSettledState, type OperationResults, readEvent } from "@parley/a2a/checks";
import type { Examination } from "../examination.ts";
import { type SeenStream, seeStream } from "./seen-stream.ts";
import { message, recordTalk, stateOf, taskIn } from "./talk.ts";
import { type Answer, ask, type Way } from "./way.ts";

/** A stream with something done in its midst. */
export interface Disturbed<T> {
  readonly stream: SeenStream;
  /** What was done; missing where the task ended, or had no name, before anything could be. */
  readonly done: T | undefined;
  /** How many milliseconds the task went on after the answer to that; less than nothing where it had ended before. */
  readonly wentOnMs: number;
  /** The task as its agent keeps it afterwards. */
  readonly kept: Answer<Task> | undefined;
}

/** A task that is canceled while it works. */
export function canceled(examination: Examination, way: Way): Promise<Disturbed<Answer<Task>>> {
  const act = (id: string) => ask(examination, way, { operation: "cancel", request: { id } });
  return examination.once(`cancel ${way.name}`, () => disturbed(examination, way, { act, waits: true }));
}

/** A task that somebody else subscribes to while it works. */
export function followed(examination: Examination, way: Way): Promise<Disturbed<SeenStream>> {
  const act = (id: string) => seeStream(examination, way, { operation: "subscribe", request: { id } });
  return examination.once(`subscribe ${way.name}`, () => disturbed(examination, way, { act }));
}

/** A task that gets a second message while it works. */
export function interrupted(examination: Examination, way: Way) {
  const act = (taskId: string) => {
    const request = { ...message(examination, way, { taskId }), configuration: { returnImmediately: true } };
    return ask(examination, way, { operation: "send", request });
  };
  return examination.once(`second ${way.name}`, () => disturbed(examination, way, { act }));
}

/** A task that was handed over, and asked for until it had ended. */
export interface HandedOver {
  readonly sent: Answer<OperationResults["send"]>;
  /** As it was last seen; missing where no task was made. */
  readonly kept?: Answer<Task>;
}

/** A message whose sender does not wait. */
export function handedOver(examination: Examination, way: Way): Promise<HandedOver> {
  return examination.once(`hand over ${way.name}`, async () => {
    const request = { ...message(examination, way), configuration: { returnImmediately: true } };
    const sent = await ask(examination, way, { operation: "send", request });
    const id = taskIn(sent)?.id;
    if (id === undefined) return { sent };
    const start = performance.now();
    let kept = await recordTalk(examination, way, id);
    for (
      let delay = 50;
      kept.value && !isSettledState(stateOf(kept.value));
      delay = Math.min(delay * 2, 2_000)
    ) {
      if (performance.now() - start + delay > examination.options.timeout) break;
      await sleep(delay, undefined, { signal: examination.options.signal });
      kept = await recordTalk(examination, way, id);
    }
    return { sent, kept };
  });
}

/** How long a task that works may be silent before it is canceled all the same. */
const PATIENCE = 250;

/**
 * Asks for a stream, and does something once its task is at work: as soon as it says so, or, where `waits` is set,
 * with the first piece of its answer.
 */
async function disturbed<T>(
  examination: Examination,
  way: Way,
  { act, waits = false }: { readonly act: (taskId: string) => Promise<T>; readonly waits?: boolean },
): Promise<Disturbed<T>> {
  let acting: Promise<T> | undefined;
  let taskId: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let statuses = 0;
  let settledAt = Number.POSITIVE_INFINITY;
  let answeredAt = 0;
  const begin = (id: string) => {
    clearTimeout(timer);
    acting ??= act(id);
    // Whoever awaits it below hears of it; until then it is nobody's.
    acting.then(
      () => {
        answeredAt = performance.now();
      },
      () => undefined,
    );
  };
  const stream = await seeStream(examination, way, {
    operation: "stream",
    request: message(examination, way),
    watch(frame) {
      const event = readEvent(frame.data);
      if (!("taskId" in event) || event.taskId === undefined) return;
      const id = event.taskId;
      taskId ??= id;
      if (event.kind !== "artifact" && isSettledState(event.state)) settledAt = performance.now();
      if (event.kind === "artifact") begin(id);
      else if (isSettledState(event.state)) clearTimeout(timer);
      else if (event.kind === "status" && event.state === "working") {
        // Some tell their answer in statuses.
        if (!waits || ++statuses > 2) begin(id);
        else timer ??= setTimeout(begin, PATIENCE, id);
      }
    },
  });
  clearTimeout(timer);
  const done = await acting;
  const kept = taskId === undefined ? undefined : await recordTalk(examination, way, taskId);
  return { stream, done, kept, wentOnMs: settledAt - answeredAt };
}
