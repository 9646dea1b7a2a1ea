/** An error that the protocol has a name for; each dialect has a table from `kind` to its wire form. */
export type A2AErrorKind =
  | "ParseError"
  | "InvalidRequest"
  | "MethodNotFound"
  | "InvalidParams"
  | "Internal"
  | "TaskNotFound"
  | "TaskNotCancelable"
  | "PushNotificationNotSupported"
  | "UnsupportedOperation"
  | "ContentTypeNotSupported"
  | "InvalidAgentResponse"
  | "ExtendedAgentCardNotConfigured"
  | "ExtensionSupportRequired"
  | "VersionNotSupported";

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

/** Someone else's task answers just like this: nobody can find out that it exists. */
export function taskNotFound(taskId: string): A2AError {
  return new A2AError("TaskNotFound", `There is no task ${taskId}`, { taskId });
}

/** What an agent without webhooks answers to whoever wants one. */
export function pushNotSupported(): A2AError {
  return new A2AError("PushNotificationNotSupported", "This agent sends no push notifications");
}
