import { setTimeout as sleep } from "node:timers/promises";
import type { Task } from "@parley/a2a";
import { isSettledState, type OperationResults, readEvent } from "@parley/a2a/checks";
import { stateOf, taskIn, testMessage } from "./conversation.ts";
import type { Answer, InterfaceProbe } from "./interface-probe.ts";
import { type ObservedStream, observeStream } from "./observed-stream.ts";

/** A stream during which something was done to its task. */
export interface MidStream<T> {
  readonly stream: ObservedStream;
  /** The outcome of the action; missing where the task ended before it could be taken. */
  readonly done: T | undefined;
  /** How long the task went on after the action was answered; negative where it had ended before. */
  readonly wentOnMs: number;
  /** The task as the agent has it afterwards. */
  readonly kept: Answer<Task> | undefined;
}

/** Cancels a task while it works. */
export function cancelMidStream(probe: InterfaceProbe): Promise<MidStream<Answer<Task>>> {
  const act = (id: string) => probe.ask("cancel", { id });
  return probe.once("cancel", () => actMidStream(probe, { act, waitsForAnswer: true }));
}

/** Subscribes to a task while it works. */
export function subscribeMidStream(probe: InterfaceProbe): Promise<MidStream<ObservedStream>> {
  const act = (id: string) => observeStream(probe, "subscribe", { id });
  return probe.once("subscribe", () => actMidStream(probe, { act }));
}

/** Sends a second message to a task while it works. */
export function messageMidStream(probe: InterfaceProbe) {
  const configuration = { returnImmediately: true };
  const act = (taskId: string) => probe.ask("send", { ...testMessage(probe, { taskId }), configuration });
  return probe.once("second", () => actMidStream(probe, { act }));
}

/** A task that was sent without waiting, and polled until it had ended. */
export interface PolledTask {
  readonly sent: Answer<OperationResults["send"]>;
  /** As it was last seen; missing where no task was made. */
  readonly kept?: Answer<Task>;
}

/** Sends a message without waiting, and polls its task. */
export function sendWithoutWaiting(probe: InterfaceProbe): Promise<PolledTask> {
  const { signal, timeout } = probe.examination.options;
  return probe.once("send without waiting", async () => {
    const request = { ...testMessage(probe), configuration: { returnImmediately: true } };
    const sent = await probe.ask("send", request);
    const id = taskIn(sent)?.id;
    if (id === undefined) return { sent };
    const deadline = performance.now() + timeout;
    let kept = await probe.ask("get", { id });
    for (
      let delay = 50;
      kept.value && !isSettledState(stateOf(kept.value));
      delay = Math.min(delay * 2, 2_000)
    ) {
      if (performance.now() + delay > deadline) break;
      await sleep(delay, undefined, { signal });
      kept = await probe.ask("get", { id });
    }
    return { sent, kept };
  });
}

/** How long a working task may be silent before the action is taken all the same. */
const MAX_SILENCE_MS = 250;

/** Opens a stream and acts once its task is working: at that status or, with `waitsForAnswer`, at the first chunk. */
async function actMidStream<T>(
  probe: InterfaceProbe,
  options: { readonly act: (taskId: string) => Promise<T>; readonly waitsForAnswer?: boolean },
): Promise<MidStream<T>> {
  const { act, waitsForAnswer = false } = options;
  let acting: Promise<T> | undefined;
  let taskId: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let statuses = 0;
  let settledAt = Number.POSITIVE_INFINITY;
  let answeredAt = 0;
  const begin = (id: string) => {
    clearTimeout(timer);
    acting ??= act(id);
    // A rejection is handled where `acting` is awaited below.
    acting.then(
      () => {
        answeredAt = performance.now();
      },
      () => undefined,
    );
  };
  const stream = await observeStream(probe, "stream", testMessage(probe), (frame) => {
    const event = readEvent(frame.data);
    if (!("taskId" in event) || event.taskId === undefined) return;
    const id = event.taskId;
    taskId ??= id;
    if (event.kind === "artifact") begin(id);
    else if (isSettledState(event.state)) {
      settledAt = performance.now();
      clearTimeout(timer);
    } else if (event.kind === "status" && event.state === "working") {
      // Some agents stream their answer as statuses.
      if (!waitsForAnswer || ++statuses > 2) begin(id);
      else timer ??= setTimeout(begin, MAX_SILENCE_MS, id);
    }
  });
  clearTimeout(timer);
  const done = await acting;
  const kept = taskId === undefined ? undefined : await probe.ask("get", { id: taskId });
  return { stream, done, kept, wentOnMs: settledAt - answeredAt };
}
