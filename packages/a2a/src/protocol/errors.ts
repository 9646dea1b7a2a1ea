/** Every error of the protocol: its JSON-RPC code, gRPC status, HTTP status, and HTTP status in v0.3. */
export const A2A_ERRORS = {
  ParseError: { code: -32700, rpc: "INVALID_ARGUMENT", http: 400, httpV03: 400 },
  InvalidRequest: { code: -32600, rpc: "INVALID_ARGUMENT", http: 400, httpV03: 400 },
  MethodNotFound: { code: -32601, rpc: "NOT_FOUND", http: 404, httpV03: 404 },
  InvalidParams: { code: -32602, rpc: "INVALID_ARGUMENT", http: 400, httpV03: 400 },
  Internal: { code: -32603, rpc: "INTERNAL", http: 500, httpV03: 500 },
  TaskNotFound: { code: -32001, rpc: "NOT_FOUND", http: 404, httpV03: 404 },
  TaskNotCancelable: { code: -32002, rpc: "FAILED_PRECONDITION", http: 400, httpV03: 409 },
  PushNotificationNotSupported: { code: -32003, rpc: "FAILED_PRECONDITION", http: 400, httpV03: 400 },
  UnsupportedOperation: { code: -32004, rpc: "FAILED_PRECONDITION", http: 400, httpV03: 400 },
  ContentTypeNotSupported: { code: -32005, rpc: "INVALID_ARGUMENT", http: 400, httpV03: 415 },
  InvalidAgentResponse: { code: -32006, rpc: "INTERNAL", http: 500, httpV03: 502 },
  ExtendedAgentCardNotConfigured: { code: -32007, rpc: "FAILED_PRECONDITION", http: 400, httpV03: 404 },
  ExtensionSupportRequired: { code: -32008, rpc: "FAILED_PRECONDITION", http: 400, httpV03: 400 },
  VersionNotSupported: { code: -32009, rpc: "FAILED_PRECONDITION", http: 400, httpV03: 400 },
} as const;

export type A2AErrorKind = keyof typeof A2A_ERRORS;

/** What is wrong, in words for the caller; a cause stays on our side. */
export class A2AError extends Error {
  readonly kind: A2AErrorKind;
  /** Facts for programs: the task's id, the field that is wrong. */
  readonly details: Readonly<Record<string, string>>;

  constructor(kind: A2AErrorKind, message: string, details: Readonly<Record<string, string>> = {}) {
    super(message);
    this.kind = kind;
    this.details = details;
  }

  override get name(): string {
    return `${this.kind}Error`;
  }
}

/** Callers also get this for another caller's task, so that its existence does not leak. */
export function taskNotFound(taskId: string): A2AError {
  return new A2AError("TaskNotFound", `There is no task ${taskId}`, { taskId });
}

/** What an agent without webhooks answers. */
export function pushNotSupported(): A2AError {
  return new A2AError("PushNotificationNotSupported", "This agent sends no push notifications");
}
