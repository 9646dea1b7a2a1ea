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
import { parsed, type TimedFrame, type WireStream } from "../exchange.ts";
import { GRPC_TYPE } from "./grpc-exchange.ts";
import type { InterfaceProbe } from "./interface-probe.ts";

interface StreamFault {
  readonly rule: Rule;
  /** From 1. */
  readonly event: number;
  readonly detail: string;
}

/** A stream that was read to its end, checked against the strict rules. */
export interface ObservedStream {
  readonly wire: WireStream;
  readonly frames: readonly TimedFrame[];
  readonly report: StreamReport;
  readonly faults: readonly StreamFault[];
  /** The media types in its artifacts. */
  readonly mediaTypes: ReadonlySet<string>;
  /** When the first event arrived, in milliseconds after the request. */
  readonly firstEvent: number | undefined;
}

const MAX_FAULTS = 200;
const MAX_FRAMES = 50_000;
/** Characters of a frame that are kept; the rest is only counted. */
const MAX_DATA = 4_096;

/** Reads a stream and checks it by the strict rules; `watch` gets each frame as it arrives. */
export async function observeStream<O extends "stream" | "subscribe">(
  probe: InterfaceProbe,
  operation: O,
  request: OperationRequests[O],
  watch?: (frame: TimedFrame) => void,
): Promise<ObservedStream> {
  const faults: StreamFault[] = [];
  const frames: TimedFrame[] = [];
  const mediaTypes = new Set<string>();
  const check = new StreamCheck({
    request: operation === "subscribe" ? "tasks/resubscribe" : operation,
    isResumed: false,
    tasks: new Map<string, ArtifactTexts>(),
    report: (rule, event, detail) =>
      void (faults.length < MAX_FAULTS && faults.push({ rule, event, detail })),
  });
  const wire = await probe.openStream(operation, request, (frame) => {
    check.see(frame, frame.time);
    frames.push({ ...frame, data: frame.data.slice(0, MAX_DATA) });
    const event = readEvent(frame.data);
    probe.examination.unfinished.observed(probe, event);
    const artifacts =
      event.kind === "artifact" ? [event.artifact] : event.kind === "task" ? event.artifacts : [];
    for (const type of artifacts.flatMap((artifact) => artifact.mediaTypes)) mediaTypes.add(type);
    watch?.(frame);
    return frames.length >= MAX_FRAMES ? "enough" : undefined;
  });
  if (frames.length > 0 || isStream(wire))
    check.close(wire.end === "closed" || wire.end === "broken" ? wire.end : "left");
  const report = check.report();
  if (operation === "stream") await cancelUnfinished(probe, wire, report);
  return { wire, frames, report, faults, mediaTypes, firstEvent: frames[0]?.time };
}

/** Whether a response is an event stream. */
export function isStream({ contentType }: { readonly contentType: string }): boolean {
  return contentType.startsWith("text/event-stream") || contentType === GRPC_TYPE;
}

/** The JSON-RPC id of a request or a frame. */
export function idIn(text: string): unknown {
  const value = parsed(text);
  return isObject(value) ? value.id : undefined;
}

/** The error that a stream ends with. */
export function errorIn({ frames }: ObservedStream): string | undefined {
  const last = frames.at(-1);
  const event = last && readEvent(last.data);
  return event?.kind === "error" ? event.detail : undefined;
}

/** Cancels the task of a stream that was not read to its end. */
async function cancelUnfinished(
  probe: InterfaceProbe,
  { end }: WireStream,
  { taskId, states }: StreamReport,
): Promise<void> {
  const isLeft = end === "too long" || end === "too large" || end === "left";
  if (!isLeft || taskId === undefined || isSettledState(states.at(-1) ?? "")) return;
  await probe.ask("cancel", { id: taskId });
}
