import { isObject } from "@parley/a2a";
import {
  type ArtifactTexts,
  isSettledState,
  type OperationRequests,
  type Rule,
  readEvent,
  StreamCheck,
  type StreamReport,
} from "@parley/a2a/checks";
import type { Examination } from "../examination.ts";
import { parsed, type TimedFrame, type WireStream } from "../exchange.ts";
import { GRPC_TYPE } from "./grpc-way.ts";
import { ask, openStream, type Way } from "./way.ts";

interface StreamFault {
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
  /** Of all that is in its artifacts. */
  readonly mediaTypes: ReadonlySet<string>;
  /** When the first event came, in milliseconds since the request. */
  readonly firstEvent: number | undefined;
}

const MAX_FAULTS = 200;
const MAX_FRAMES = 50_000;
/** Data of a frame that are kept; the rest is only counted. */
const MAX_DATA = 4_096;

/** Reads a stream by the strict rules; `watch` sees each frame as it comes. */
export async function seeStream(
  examination: Examination,
  way: Way,
  question: {
    readonly operation: "stream" | "subscribe";
    readonly request: OperationRequests["stream"] | OperationRequests["subscribe"];
    readonly watch?: (frame: TimedFrame) => void;
  },
): Promise<SeenStream> {
  const { operation, request, watch } = question;
  const faults: StreamFault[] = [];
  const frames: TimedFrame[] = [];
  const tasks = new Map<string, ArtifactTexts>();
  const mediaTypes = new Set<string>();
  const check = new StreamCheck({
    request: operation === "subscribe" ? "tasks/resubscribe" : operation,
    isResumed: false,
    tasks,
    report: (rule, event, detail) =>
      void (faults.length < MAX_FAULTS && faults.push({ rule, event, detail })),
  });
  const take = (frame: TimedFrame) => {
    check.see(frame, frame.time);
    frames.push({ ...frame, data: frame.data.slice(0, MAX_DATA) });
    const event = readEvent(frame.data);
    examination.left.heard(way, event);
    const artifacts =
      event.kind === "artifact" ? [event.artifact] : event.kind === "task" ? event.artifacts : [];
    for (const type of artifacts.flatMap((artifact) => artifact.mediaTypes)) mediaTypes.add(type);
    watch?.(frame);
    return frames.length >= MAX_FRAMES ? "enough" : undefined;
  };
  const wire =
    operation === "stream"
      ? await openStream(examination, way, {
          operation,
          request: request as OperationRequests["stream"],
          take,
        })
      : await openStream(examination, way, {
          operation,
          request: request as OperationRequests["subscribe"],
          take,
        });
  if (frames.length > 0 || isStream(wire))
    check.close(wire.end === "closed" || wire.end === "broken" ? wire.end : "left");
  const seen = { wire, frames, report: check.report(), faults, mediaTypes, firstEvent: frames[0]?.time };
  if (operation === "stream") await stopTask(examination, way, seen);
  return seen;
}

/** Whether an answer is an event stream. */
export function isStream({ contentType }: { readonly contentType: string }): boolean {
  return contentType.startsWith("text/event-stream") || contentType === GRPC_TYPE;
}

/** The JSON-RPC id of a request or a frame. */
export function idIn(text: string): unknown {
  const value = parsed(text);
  return isObject(value) ? value.id : undefined;
}

/** Nothing is left running on the doctor's account. */
async function stopTask(examination: Examination, way: Way, { wire, report }: SeenStream): Promise<void> {
  const isLeft = wire.end === "too long" || wire.end === "too large" || wire.end === "left";
  if (!isLeft || report.taskId === undefined || isSettledState(report.states.at(-1) ?? "")) return;
  await ask(examination, way, { operation: "cancel", request: { id: report.taskId } });
}

export function errorIn({ frames }: SeenStream): string | undefined {
  const last = frames.at(-1);
  const event = last && readEvent(last.data);
  return event?.kind === "error" ? event.detail : undefined;
}
