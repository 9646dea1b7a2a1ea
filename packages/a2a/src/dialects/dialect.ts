import { A2AError } from "../protocol/errors.ts";
import type {
  GetTaskRequest,
  Json,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  Metadata,
  PushConfig,
  SendRequest,
  StreamResponse,
  Task,
} from "../protocol/model.ts";

/** The versions of A2A that we speak, by major and minor. */
export type DialectVersion = "1.0" | "0.3" | "0.1";

/** What a caller can ask for, whatever its dialect calls it. */
export const OPERATIONS = [
  "send",
  "stream",
  "get",
  "list",
  "cancel",
  "subscribe",
  "createPush",
  "getPush",
  "listPush",
  "deletePush",
  "extendedCard",
] as const;

export type Operation = (typeof OPERATIONS)[number];

/** An operation with one answer; the other two answer with a stream. */
export type UnaryOperation = Exclude<Operation, "stream" | "subscribe">;

/** A message to send; `clientTaskId`: `message.taskId` may name a task that does not exist yet. */
export type DialectSendRequest = SendRequest & { readonly clientTaskId?: true };

/** What each operation takes, in the canonical model. */
export interface OperationRequests {
  readonly send: DialectSendRequest;
  readonly stream: DialectSendRequest;
  readonly get: GetTaskRequest;
  readonly list: ListTasksRequest;
  readonly cancel: { readonly id: string; readonly metadata?: Metadata; readonly tenant?: string };
  readonly subscribe: { readonly id: string; readonly tenant?: string };
  readonly createPush: PushConfig & { readonly taskId: string; readonly tenant?: string };
  readonly getPush: { readonly taskId: string; readonly id?: string; readonly tenant?: string };
  readonly listPush: {
    readonly taskId: string;
    readonly pageSize?: number;
    readonly pageToken?: string;
    readonly tenant?: string;
  };
  readonly deletePush: { readonly taskId: string; readonly id: string; readonly tenant?: string };
  readonly extendedCard: { readonly tenant?: string };
}

export type SendAnswer = { readonly task: Task } | { readonly message: Message };

/** A page of a task's push configs; the token is empty at the end. */
export interface PushConfigPage {
  readonly configs: readonly PushConfig[];
  readonly nextPageToken: string;
}

/** What each operation answers with, in the canonical model. */
export interface OperationResults {
  readonly send: SendAnswer;
  readonly get: Task;
  readonly list: ListTasksResponse;
  readonly cancel: Task;
  readonly createPush: PushConfig;
  readonly getPush: PushConfig;
  readonly listPush: PushConfigPage;
  readonly deletePush: undefined;
  readonly extendedCard: Json;
}

/** The task that an answer or a stream belongs to, for what the dialect's own objects do not say. */
export interface TaskNames {
  readonly id?: string;
  readonly contextId?: string;
}

/** An artifact's number in its task, counted from 0. */
export type ArtifactPositions = (artifactId: string) => number;

/** An event and its JSON text, as the journal has it: the payload may be parsed only when it is asked for. */
export interface StoredEvent {
  readonly payload: StreamResponse;
  readonly json: string;
}

/** Turns an event into the JSON texts of the results it becomes, none or several. */
export type EventEncoder = (event: StoredEvent) => readonly string[];

/** Turns the result of one frame into the events that it stands for. */
export type EventDecoder = (value: unknown) => StreamResponse[];

/** An error as JSON-RPC writes it. */
export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

/** What a binding needs of a dialect to answer in it. */
export type AnsweringDialect = Pick<Dialect, "version" | "decodeRequest" | "encodeResult" | "eventEncoder">;

/** One version of A2A over JSON-RPC, as functions to and from the canonical model. */
export interface Dialect {
  readonly version: DialectVersion;
  operationOf(method: string): Operation | undefined;
  /** The method name of an operation, unless this dialect lacks it. */
  methodOf(operation: Operation): string | undefined;
  /** Throws InvalidParams with the name of the field; unknown fields are ignored. */
  decodeRequest<O extends Operation>(operation: O, params: unknown): OperationRequests[O];
  /** Throws UnsupportedOperation for what this dialect lacks. */
  encodeRequest<O extends Operation>(operation: O, request: OperationRequests[O]): Json;
  encodeResult<O extends UnaryOperation>(operation: O, result: OperationResults[O], task?: TaskNames): Json;
  /** Throws InvalidAgentResponse with the name of the field. */
  decodeResult<O extends UnaryOperation>(operation: O, value: unknown): OperationResults[O];
  eventEncoder(positions: ArtifactPositions, task?: TaskNames): EventEncoder;
  /** One decoder for each stream; throws InvalidAgentResponse. */
  eventDecoder(task?: TaskNames): EventDecoder;
  encodeError(error: A2AError): WireError;
  /** A code that is not in the dialect's table becomes Internal, with the code in the details. */
  decodeError(value: unknown): A2AError;
}

/** Both directions of a dialect's method names. */
export function methodTable(
  names: Readonly<Partial<Record<Operation, string>>>,
): Pick<Dialect, "operationOf" | "methodOf"> {
  const operations = new Map(Object.entries(names).map(([operation, method]) => [method, operation]));
  return {
    operationOf: (method) => operations.get(method) as Operation | undefined,
    methodOf: (operation) => names[operation],
  };
}

/** What a dialect that lacks an operation answers. */
export function unsupportedOperation(version: DialectVersion, operation: Operation): A2AError {
  return new A2AError("UnsupportedOperation", `A2A ${version} has no operation ${operation}`, { operation });
}
