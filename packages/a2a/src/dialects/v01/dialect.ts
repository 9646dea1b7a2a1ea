import type { z } from "zod";
import { chosenTaskId } from "../../protocol/chosen-task-id.ts";
import { A2A_ERRORS, type A2AError, type A2AErrorKind } from "../../protocol/errors.ts";
import type {
  Json,
  Message,
  PushConfig,
  Task,
  TaskArtifactUpdate,
  TaskStatus,
  TaskStatusUpdate,
} from "../../protocol/model.ts";
import { carry, uncarry } from "../carried.ts";
import {
  type ArtifactPositions,
  type Dialect,
  type EventEncoder,
  methodTable,
  type OperationResults,
  type SendAnswer,
  type TaskNames,
  type UnaryOperation,
  unsupportedOperation,
  type WireError,
} from "../dialect.ts";
import { decodeErrorObject, type ErrorFacts, textMembers } from "../error-object.ts";
import { takeNotes } from "../incomplete-status.ts";
import { encodeLegacyPushConfig } from "../legacy-push.ts";
import { endsStream } from "../legacy-states.ts";
import { parseAnswer } from "../wire-schema.ts";
import { v01Task, v01TaskOf } from "./decode.ts";
import {
  encodeV01Artifact,
  encodeV01Message,
  encodeV01MessageAnswer,
  encodeV01Status,
  encodeV01Task,
  newerState,
} from "./encode.ts";
import { v01EventDecoder } from "./event-decoder.ts";
import { decodeV01Request, encodeV01Request, v01PushConfig } from "./requests.ts";

/** Writes the events of one stream as v0.1, sending each context and artifact id once. */
function v01EventEncoder(positions: ArtifactPositions, task: TaskNames = {}): EventEncoder {
  const stream = new V01Stream(positions, task);
  return ({ payload: event }) => {
    if ("artifactUpdate" in event) return [JSON.stringify(stream.artifact(event.artifactUpdate))];
    if ("statusUpdate" in event) return [JSON.stringify(stream.status(event.statusUpdate))];
    if ("message" in event) return [JSON.stringify(stream.message(event.message))];
    return stream.task(event.task).map((result) => JSON.stringify(result));
  };
}

class V01Stream {
  readonly #positions: ArtifactPositions;
  readonly #task: TaskNames;
  readonly #sentArtifacts = new Set<string>();
  #sentContext = false;

  constructor(positions: ArtifactPositions, task: TaskNames) {
    this.#positions = positions;
    this.#task = task;
  }

  status(update: TaskStatusUpdate): Json {
    return this.#statusEvent(update, endsStream(update.status.state));
  }

  artifact({ taskId, contextId, artifact, append, lastChunk, metadata: own }: TaskArtifactUpdate): Json {
    const metadata = carry(own, { contextId: this.#unsentContext(contextId) });
    const index = this.#positions(artifact.artifactId);
    const withId = !this.#sentArtifacts.has(artifact.artifactId);
    this.#sentArtifacts.add(artifact.artifactId);
    return {
      id: chosenTaskId(taskId),
      artifact: encodeV01Artifact(artifact, { index, append, lastChunk, withId }),
      ...(metadata && { metadata }),
    };
  }

  /** The task as a status, its artifacts so far as pieces; if nothing will follow, the status again as the end. */
  task(task: Task): Json[] {
    const update = { taskId: task.id, contextId: task.contextId, status: task.status };
    const snapshot = { ...update, metadata: { ...carry(task.metadata, { snapshot: true }) } };
    // The status goes first, because the first event carries the context.
    const events = [this.#statusEvent(snapshot, false)];
    for (const artifact of task.artifacts ?? [])
      events.push(this.artifact({ ...update, artifact, append: false }));
    return isOver(task.status) ? [...events, this.#statusEvent(update, true)] : events;
  }

  /** v0.1 streams know no messages: it is the last word of a completed task. */
  message(message: Message): Json {
    const id = message.taskId ?? this.#task.id ?? "";
    const contextId = this.#unsentContext(message.contextId ?? this.#task.contextId ?? "");
    const metadata = carry(undefined, { answer: "message", contextId }) ?? {};
    return { id, status: { state: "completed", message: encodeV01Message(message) }, final: true, metadata };
  }

  #statusEvent(update: TaskStatusUpdate, ends: boolean): Json {
    const notes = takeNotes(update.metadata);
    const metadata = carry(notes.metadata, {
      contextId: this.#unsentContext(update.contextId),
      state: newerState(update.status),
    });
    return {
      id: chosenTaskId(update.taskId),
      status: encodeV01Status(update.status, notes),
      final: notes.final ?? ends,
      ...(metadata && { metadata }),
    };
  }

  #unsentContext(contextId: string): string | undefined {
    if (this.#sentContext || contextId === "") return undefined;
    this.#sentContext = true;
    return contextId;
  }
}

function isOver({ state }: TaskStatus): boolean {
  return endsStream(state) && state !== "TASK_STATE_INPUT_REQUIRED" && state !== "TASK_STATE_AUTH_REQUIRED";
}

type ResultEncoder<O extends UnaryOperation> = (result: OperationResults[O], task: TaskNames) => Json;

const encoders: { readonly [O in UnaryOperation]?: ResultEncoder<O> } = {
  send: encodeSendAnswer,
  get: encodeV01Task,
  cancel: encodeV01Task,
  createPush: encodePushConfig,
  getPush: encodePushConfig,
};

function encodeV01Answer<O extends UnaryOperation>(
  operation: O,
  result: OperationResults[O],
  task: TaskNames = {},
): Json {
  const encode: ResultEncoder<O> | undefined = encoders[operation];
  if (encode !== undefined) return encode(result, task);
  throw unsupportedOperation("0.1", operation);
}

function encodeSendAnswer(answer: SendAnswer, task: TaskNames): Json {
  if ("task" in answer) return encodeV01Task(answer.task);
  const { message } = answer;
  return encodeV01MessageAnswer(message, {
    id: message.taskId ?? task.id ?? "",
    contextId: message.contextId ?? task.contextId ?? "",
  });
}

function encodePushConfig(config: PushConfig): Json {
  const pushNotificationConfig = encodeLegacyPushConfig(config, { withId: false });
  return { id: chosenTaskId(config.taskId ?? ""), pushNotificationConfig };
}

/** A2A v0.1, the dialect of the second seed: the client names the task, and artifacts have numbers. */
export const v01Dialect: Dialect = {
  version: "0.1",
  ...methodTable({
    send: "tasks/send",
    stream: "tasks/sendSubscribe",
    get: "tasks/get",
    cancel: "tasks/cancel",
    subscribe: "tasks/resubscribe",
    createPush: "tasks/pushNotification/set",
    getPush: "tasks/pushNotification/get",
  }),
  decodeRequest: decodeV01Request,
  encodeRequest: encodeV01Request,
  encodeResult: encodeV01Answer,
  decodeResult: decodeV01Answer,
  eventEncoder: v01EventEncoder,
  eventDecoder: v01EventDecoder,
  encodeError: encodeV01Error,
  decodeError: decodeV01Error,
};

const task: z.ZodType<Task> = v01Task.transform((sent) => v01TaskOf(sent));

const answer: z.ZodType<SendAnswer> = v01Task.transform((sent) => {
  const { carried } = uncarry(sent.metadata, ["answer"]);
  const { message } = v01TaskOf(sent).status;
  return carried.answer === "message" && message ? { message } : { task: v01TaskOf(sent) };
});

const schemas: { readonly [O in UnaryOperation]?: z.ZodType<OperationResults[O]> } = {
  send: answer,
  get: task,
  cancel: task,
  createPush: v01PushConfig,
  getPush: v01PushConfig,
};

function decodeV01Answer<O extends UnaryOperation>(operation: O, value: unknown): OperationResults[O] {
  const schema: z.ZodType<OperationResults[O]> | undefined = schemas[operation];
  if (schema !== undefined) return parseAnswer(schema, value);
  throw unsupportedOperation("0.1", operation);
}

/** The errors of v0.1 and the one text that its schema allows each. */
const MESSAGES: Partial<Readonly<Record<A2AErrorKind, string>>> = {
  ParseError: "Invalid JSON payload",
  InvalidRequest: "Request payload validation error",
  MethodNotFound: "Method not found",
  InvalidParams: "Invalid parameters",
  Internal: "Internal error",
  TaskNotFound: "Task not found",
  TaskNotCancelable: "Task cannot be canceled",
  PushNotificationNotSupported: "Push Notification is not supported",
  UnsupportedOperation: "This operation is not supported",
  ContentTypeNotSupported: "Incompatible content types",
};

/** Errors that are newer than v0.1, and the nearest one that it knows. */
const NEAREST: Partial<Readonly<Record<A2AErrorKind, A2AErrorKind>>> = {
  InvalidAgentResponse: "Internal",
  ExtendedAgentCardNotConfigured: "UnsupportedOperation",
  ExtensionSupportRequired: "UnsupportedOperation",
  VersionNotSupported: "UnsupportedOperation",
};

/** The errors whose `data` is free; for the others v0.1 demands null. */
const WITH_DATA = new Set<A2AErrorKind>(["ParseError", "InvalidRequest", "InvalidParams"]);

/** An error as v0.1 writes it; what is wrong in our words is in `data.reason`, where `data` is allowed. */
function encodeV01Error(error: A2AError): WireError {
  const kind = NEAREST[error.kind] ?? error.kind;
  const code = A2A_ERRORS[kind].code;
  const message = MESSAGES[kind] ?? "Internal error";
  if (WITH_DATA.has(kind)) return { code, message, data: { ...error.details, reason: error.message } };
  return kind === "Internal" ? { code, message } : { code, message, data: null };
}

function decodeV01Error(value: unknown): A2AError {
  return decodeErrorObject(value, factsOf);
}

function factsOf(data: unknown): ErrorFacts {
  const { reason, ...details } = textMembers(data);
  return { details, ...(reason !== undefined && { message: reason }) };
}
