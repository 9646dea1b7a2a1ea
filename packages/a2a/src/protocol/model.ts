// The canonical model is the JSON of v1.0, and the journal stores it as it is: a v1.0 stream is the stored text.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type Metadata = { readonly [name: string]: Json };

export type TaskState =
  | "TASK_STATE_SUBMITTED"
  | "TASK_STATE_WORKING"
  | "TASK_STATE_INPUT_REQUIRED"
  | "TASK_STATE_AUTH_REQUIRED"
  | "TASK_STATE_COMPLETED"
  | "TASK_STATE_FAILED"
  | "TASK_STATE_CANCELED"
  | "TASK_STATE_REJECTED";

export type Role = "ROLE_USER" | "ROLE_AGENT";

/** Exactly one of `text`, `raw` (Base64), `url` and `data` is present. */
export interface Part {
  readonly text?: string;
  readonly raw?: string;
  readonly url?: string;
  readonly data?: Json;
  readonly filename?: string;
  readonly mediaType?: string;
  readonly metadata?: Metadata;
}

export interface Message {
  readonly messageId: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly metadata?: Metadata;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
}

export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly Part[];
  readonly metadata?: Metadata;
  readonly extensions?: readonly string[];
}

export interface TaskStatus {
  readonly state: TaskState;
  readonly message?: Message;
  /** UTC, with Z. */
  readonly timestamp: string;
}

export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly Message[];
  readonly metadata?: Metadata;
}

export interface TaskStatusUpdate {
  readonly taskId: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly metadata?: Metadata;
}

export interface TaskArtifactUpdate {
  readonly taskId: string;
  readonly contextId: string;
  readonly artifact: Artifact;
  /** True extends the artifact with this id, otherwise it is created or replaced. */
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  readonly metadata?: Metadata;
}

/** What a stream carries: one of these members. */
export type StreamResponse =
  | { readonly task: Task }
  | { readonly message: Message }
  | { readonly statusUpdate: TaskStatusUpdate }
  | { readonly artifactUpdate: TaskArtifactUpdate };

export interface PushConfig {
  readonly id?: string;
  readonly taskId?: string;
  readonly url: string;
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
}

export interface SendRequest {
  readonly message: Message;
  readonly configuration?: {
    readonly acceptedOutputModes?: readonly string[];
    readonly taskPushNotificationConfig?: PushConfig;
    readonly historyLength?: number;
    readonly returnImmediately?: boolean;
  };
  readonly metadata?: Metadata;
  readonly tenant?: string;
}

export interface GetTaskRequest {
  readonly id: string;
  readonly historyLength?: number;
  readonly tenant?: string;
}

export interface ListTasksRequest {
  readonly contextId?: string;
  readonly status?: TaskState;
  readonly pageSize?: number;
  readonly pageToken?: string;
  readonly historyLength?: number;
  readonly statusTimestampAfter?: string;
  readonly includeArtifacts?: boolean;
  readonly tenant?: string;
}

export interface ListTasksResponse {
  readonly tasks: readonly Task[];
  /** Empty at the end. */
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

/** Whether this is an object as JSON has it: no array, and not null. */
export function isObject(value: unknown): value is { readonly [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text in the parts of a message or artifact, joined. */
export function textOf({ parts }: { readonly parts: readonly Part[] }): string {
  return parts.map(({ text }) => text ?? "").join("");
}
