import type { Operation, OperationRequests } from "../dialects/dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import type { Message, Metadata, Part, SendRequest } from "../protocol/model.ts";

export const DEFAULT_LIMITS = {
  /** Parts of one message. */
  parts: 1_000,
  /** Characters of JSON in one `metadata`. */
  metadata: 262_144,
  /** Characters of a task's id: it becomes part of a stream's name. */
  taskId: 190,
  /** Characters of any other id. */
  id: 256,
  /** Streams that one caller has open who brings no quota. */
  streams: 100,
  /** Streams that all callers together have open. */
  streamsInAll: 10_000,
};

/** How much one caller may ask for at once; the size and depth of a body are limited before it is read. */
export type RequestLimits = Readonly<typeof DEFAULT_LIMITS>;

const CONTROL = /\p{Cc}/u;

/** Throws InvalidParams, with the field, for a request that is beyond the limits. */
export function checkLimits<O extends Operation>(
  operation: O,
  request: OperationRequests[O],
  limits: RequestLimits,
): void {
  if (operation === "send" || operation === "stream") checkSend(request as SendRequest, limits);
  else checkIds(request as Named, "", limits);
}

function checkSend({ message, metadata }: SendRequest, limits: RequestLimits): void {
  checkIds(message, "message.", limits);
  for (const id of message.referenceTaskIds ?? []) checkId(id, "message.referenceTaskIds", limits.taskId);
  if (message.parts.length > limits.parts) {
    throw beyond("message.parts", `has ${message.parts.length} parts and may have ${limits.parts}`);
  }
  checkMetadata(metadata, "metadata", limits);
  checkMetadata(message.metadata, "message.metadata", limits);
  checkParts(message, limits);
}

function checkParts({ parts }: Message, limits: RequestLimits): void {
  for (const [n, part] of parts.entries()) {
    checkMetadata(part.metadata, `message.parts[${n}].metadata`, limits);
  }
}

function checkMetadata(metadata: Metadata | undefined, field: string, limits: RequestLimits): void {
  if (metadata === undefined) return;
  const { length } = JSON.stringify(metadata);
  if (length > limits.metadata) {
    throw beyond(field, `has ${length} characters of JSON and may have ${limits.metadata}`);
  }
}

/** An id that a request may have, whichever it is. */
interface Named {
  readonly id?: string;
  readonly taskId?: string;
  readonly contextId?: string;
  readonly messageId?: string;
}

function checkIds(named: Named, prefix: string, limits: RequestLimits): void {
  checkId(named.id, `${prefix}id`, limits.id);
  checkId(named.taskId, `${prefix}taskId`, limits.taskId);
  checkId(named.contextId, `${prefix}contextId`, limits.id);
  checkId(named.messageId, `${prefix}messageId`, limits.id);
}

function checkId(id: string | undefined, field: string, limit: number): void {
  if (id === undefined) return;
  if (id.length > limit) throw beyond(field, `has ${id.length} characters and may have ${limit}`);
  if (!isClean(id)) throw beyond(field, "has characters that no id may have");
}

/** Whether a text has only characters that an id may have: no storage takes the others. */
export function isClean(id: string): boolean {
  return !CONTROL.test(id) && id.isWellFormed();
}

function beyond(field: string, what: string): A2AError {
  return new A2AError("InvalidParams", `${field} ${what}`, { field });
}

/** Refuses parts of a type that is not among the card's input modes; a part that names none is taken. */
export function checkMediaTypes(parts: readonly Part[], modes: readonly string[]): void {
  for (const [n, { mediaType }] of parts.entries()) {
    if (mediaType === undefined || takesMediaType(modes, mediaType)) continue;
    const supported = modes.join(", ");
    const message = `message.parts[${n}] is ${mediaType}, but this agent takes ${supported}`;
    throw new A2AError("ContentTypeNotSupported", message, { mediaType, supported });
  }
}

/** Whether one of these modes, as cards list them, is or covers a media type. */
export function takesMediaType(modes: readonly string[], mediaType: string): boolean {
  const type = essence(mediaType);
  const fitting = new Set([type, `${type.split("/")[0]}/*`, "*/*"]);
  return modes.some((mode) => fitting.has(essence(mode)));
}

/** A media type without its parameters, in small letters. */
function essence(mediaType: string): string {
  return (mediaType.split(";")[0] ?? "").trim().toLowerCase();
}
