import { randomUUID } from "node:crypto";
import type { Message, Task } from "@parley/a2a";
import {
  type ArtifactTexts,
  isOver,
  isSettled,
  type OperationRequests,
  type Rule,
  readEvent,
  StreamCheck,
  type StreamReport,
} from "@parley/a2a/checks";
import type { Examination } from "../examination.ts";
import type { TimedFrame, WireStream } from "../wire.ts";
import { claims } from "./cards.ts";
import { type Answer, ask, open, type Way } from "./way.ts";

/** Something that a stream did wrong. */
export interface StreamFault {
  readonly rule: Rule;
  /** From 1. */
  readonly event: number;
  readonly detail: string;
}

/** A stream that was read, and all that is known of it. */
export interface SeenStream {
  readonly wire: WireStream;
  readonly frames: readonly TimedFrame[];
  readonly report: StreamReport;
  readonly faults: readonly StreamFault[];
  /** The first event of each kind that counts, in milliseconds. */
  readonly firstEvent: number | undefined;
}

const MOST_FAULTS = 200;
const MOST_FRAMES = 50_000;
/** Data of a frame that are kept; the rest is only counted. */
const MOST_DATA = 4_096;

/** What the doctor says to the agent, under a name of its own. */
export function message(
  examination: Examination,
  way: Way,
  more: Partial<Message> = {},
): OperationRequests["send"] {
  const said: Message = {
    ...{
      messageId: doctorsId(),
      role: "ROLE_USER",
      parts: [{ text: examination.options.message }],
    },
    ...more,
  };
  if (way.endpoint.dialect !== "0.1") return { message: said };
  return { message: { ...said, taskId: said.taskId ?? doctorsId() }, clientTaskId: true };
}

/** A name that says who gave it. */
export function doctorsId(): string {
  return `doctor_${randomUUID().replaceAll("-", "")}`;
}

/** Reads a stream by the strict rules; `watch` sees each frame as it comes. */
export async function seeStream(
  examination: Examination,
  way: Way,
  question: {
    readonly operation: "stream" | "subscribe";
    readonly request: OperationRequests["stream"] | OperationRequests["subscribe"];
    readonly watch?: (frame: TimedFrame, report: () => StreamReport) => "enough" | undefined;
  },
): Promise<SeenStream> {
  const { operation, request, watch } = question;
  const faults: StreamFault[] = [];
  const frames: TimedFrame[] = [];
  const tasks = new Map<string, ArtifactTexts>();
  const check = new StreamCheck({
    ...{ request: operation === "subscribe" ? "tasks/resubscribe" : operation, isResumed: false, tasks },
    report: (rule, event, detail) =>
      void (faults.length < MOST_FAULTS && faults.push({ rule, event, detail })),
  });
  const take = (frame: TimedFrame) => {
    check.see(frame, frame.time);
    frames.push({ ...frame, data: frame.data.slice(0, MOST_DATA) });
    return frames.length >= MOST_FRAMES ? "enough" : watch?.(frame, () => check.report());
  };
  const wire =
    operation === "stream"
      ? await open(examination, way, { operation, request: request as OperationRequests["stream"], take })
      : await open(examination, way, { operation, request: request as OperationRequests["subscribe"], take });
  if (frames.length > 0 || isStream(wire))
    check.close(wire.end === "closed" || wire.end === "broken" ? wire.end : "left");
  return { wire, frames, report: check.report(), faults, firstEvent: frames[0]?.time };
}

/** The agent's answer by stream, asked for once for each way. */
export function streamed(examination: Examination, way: Way): Promise<SeenStream> {
  return examination.once(`stream ${way.name}`, async () => {
    const request = message(examination, way);
    const seen = await seeStream(examination, way, { operation: "stream", request });
    await stopTask(examination, way, seen);
    return seen;
  });
}

/** The agent's answer in one piece, asked for once for each way. */
export function sent(examination: Examination, way: Way) {
  return examination.once(`send ${way.name}`, () =>
    ask(examination, way, { operation: "send", request: message(examination, way) }),
  );
}

/** A task of the agent's that has ended, with its id; undefined where there is none. */
export function endedTask(examination: Examination, way: Way): Promise<string | undefined> {
  return examination.once(`ended ${way.name}`, async () => {
    const { streaming } = await claims(examination);
    if (streaming) {
      const { report } = await streamed(examination, way);
      if (report.taskId !== undefined && isOver(report.states.at(-1) ?? "")) return report.taskId;
    }
    const task = taskIn(await sent(examination, way));
    return task && isOver(stateOf(task)) ? task.id : undefined;
  });
}

/** The task as its agent keeps it. */
export function record(examination: Examination, way: Way, id: string): Promise<Answer<Task>> {
  return ask(examination, way, { operation: "get", request: { id } });
}

/** The task that an answer to a message holds. */
export function taskIn(answer: Awaited<ReturnType<typeof sent>>): Task | undefined {
  return answer.value && "task" in answer.value ? answer.value.task : undefined;
}

/** A state in the old spelling. */
export function stateOf({ status }: Task): string {
  return status.state.replace("TASK_STATE_", "").toLowerCase().replace("_", "-");
}

/** The texts of a task's artifacts, in their order. */
export function textsOf({ artifacts = [] }: Task): string[] {
  return artifacts.map(({ parts }) => parts.map(({ text = "" }) => text).join(""));
}

export function isStream({ contentType }: { readonly contentType: string }): boolean {
  return contentType.startsWith("text/event-stream");
}

/** The JSON-RPC id of a frame. */
export function idIn(data: string): unknown {
  try {
    return (JSON.parse(data) as { readonly id?: unknown }).id;
  } catch {
    return undefined;
  }
}

/** Nothing is left running on the doctor's account. */
async function stopTask(examination: Examination, way: Way, { wire, report }: SeenStream): Promise<void> {
  const isLeft = wire.end === "too long" || wire.end === "too large" || wire.end === "left";
  if (!isLeft || report.taskId === undefined || isSettled(report.states.at(-1) ?? "")) return;
  await ask(examination, way, { operation: "cancel", request: { id: report.taskId } });
}

/** The error that a stream ended with. */
export function errorIn({ frames }: SeenStream): string | undefined {
  const last = frames.at(-1);
  const event = last && readEvent(last.data);
  return event?.kind === "error" ? event.detail : undefined;
}

/** What one frame tells. */
export const eventIn = readEvent;
