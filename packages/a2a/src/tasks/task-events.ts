import type { RecordedEvent } from "@parley/journal";
import type {
  Json,
  Message,
  StreamResponse,
  Task,
  TaskArtifactUpdate,
  TaskStatus,
  TaskStatusUpdate,
} from "../protocol/model.ts";
import type { Caller } from "./caller.ts";
import type { RecordedKey } from "./intake/request-keys.ts";

/** A task's owner and origin; the first event of its stream, which is never exposed. */
export interface TaskCreated {
  readonly owner: string;
  /** The dialect of the request: it decides how `tasks/get` of v0.1 and v0.3 is answered. */
  readonly dialect: string;
  /** The agent that works on it, where several share a journal. */
  readonly agent?: string;
  /** The trace of its request, which executions continue. */
  readonly traceparent?: string;
}

/** A webhook of the task's, with all that is secret in it sealed. */
export interface PushConfigured {
  readonly id: string;
  /** The dialect of the registration: notifications are written in it. */
  readonly dialect: Caller["dialect"];
  /** Scheme, name and port of the URL: the rest of it can be a secret. */
  readonly receiver: string;
  readonly sealed: string;
}

/** What a task's stream holds. The members that a stream of v1.0 has too are stored just as they are sent. */
export type TaskEvent =
  | { readonly created: TaskCreated; readonly key?: RecordedKey }
  | { readonly task: Task }
  | { readonly statusUpdate: TaskStatusUpdate }
  | { readonly artifactUpdate: TaskArtifactUpdate }
  /** A further message to the task: part of its history, not of its stream. `offer` is the one that it answers. */
  | { readonly received: Message; readonly offer?: string; readonly key?: RecordedKey }
  /** A message that came to a process which does not run the task, for the one that does. */
  | { readonly offered: Message; readonly offer: string; readonly key?: RecordedKey }
  /** A caller wants the task to end, and came to a process which does not run it. */
  | { readonly cancelAsked: true }
  /** Something of the executor's own, for a later execution of the same task. */
  | { readonly noted: Json }
  | { readonly pushConfigured: PushConfigured }
  | { readonly pushRemoved: { readonly id: string } };

const VISIBLE = /^\{"(?:artifactUpdate|statusUpdate|task)":/;
const PIECE = '{"artifactUpdate":';
const PUSH = /^\{"push(Configured|Removed)":/;
const NOTE = '{"noted":';
const STATUS = '{"statusUpdate":';
const TASK = '{"task":';

const STREAM_PREFIX = "task/";

export function taskStream(taskId: string): string {
  return STREAM_PREFIX + taskId;
}

export function taskIdOf(stream: string): string | undefined {
  return stream.startsWith(STREAM_PREFIX) ? stream.slice(STREAM_PREFIX.length) : undefined;
}

/** Whether callers see this event; found without parsing, because most events are only passed on. */
export function isVisible(event: RecordedEvent): event is RecordedEvent<StreamResponse> {
  return VISIBLE.test(event.json);
}

/** Whether this event is a piece of an artifact, as nearly all of them are; found without parsing. */
export function isPiece(event: RecordedEvent): boolean {
  return event.json.startsWith(PIECE);
}

export function noteIn(event: RecordedEvent): Json | undefined {
  return event.json.startsWith(NOTE) ? (event.payload as { noted: Json }).noted : undefined;
}

/** Whether this event sets or removes a webhook; found without parsing. */
export function concernsPush(event: RecordedEvent): boolean {
  return PUSH.test(event.json);
}

/** The status that this event brings, if it brings one; pieces of artifacts are not parsed. */
export function statusIn(event: RecordedEvent): TaskStatus | undefined {
  if (event.json.startsWith(TASK)) return (event.payload as { task: Task }).task.status;
  return statusUpdateIn(event)?.status;
}

export function statusUpdateIn(event: RecordedEvent): TaskStatusUpdate | undefined {
  if (!event.json.startsWith(STATUS)) return undefined;
  return (event.payload as { statusUpdate: TaskStatusUpdate }).statusUpdate;
}

/** A message on its way into a task, with what is recorded beside it. */
export interface Arrival {
  readonly message: Message;
  readonly key?: RecordedKey | undefined;
  /** The webhooks that came with it. */
  readonly registrations: readonly TaskEvent[];
}

/** The events of a message that was taken in; `offer` is the one that brought it here. */
export function receivedEvents({ message, key, registrations }: Arrival, offer?: string): TaskEvent[] {
  return [...registrations, { received: message, ...(offer && { offer }), ...(key && { key }) }];
}

/** What identifies a message, however often and wherever it arrives: its offer, and the key of its request. */
export function namesOf({ offer, key }: { offer?: string | undefined; key?: RecordedKey | undefined }) {
  return [...(offer ? [offer] : []), ...(key ? [JSON.stringify([key.owner, key.key])] : [])];
}
