import type { HttpQuestion } from "./http-exchange.ts";
import { isErrorInfo, isFields } from "./judge-answer.ts";

type WireError = Readonly<Record<string, unknown>>;

/** The one text that v0.1's schema allows for each of its errors. */
const V01_MESSAGES = new Set([
  "Invalid JSON payload",
  "Request payload validation error",
  "Method not found",
  "Invalid parameters",
  "Task not found",
  "Task cannot be canceled",
  "Push Notification is not supported",
  "This operation is not supported",
  "Incompatible content types",
]);

/** Whether an error is written as the dialect of a version writes it. */
const WRITTEN_IN: Readonly<Record<string, (error: WireError) => boolean>> = {
  "1.0": ({ data }) => Array.isArray(data) && isErrorInfo(data[0]),
  "0.3": ({ data }) => data === undefined || (isFields(data) && !("reason" in data)),
  "0.1": ({ message, data }) => V01_MESSAGES.has(String(message)) && (data === null || isFields(data)),
};

/** Whether an error is written in the dialect of this version. */
export function isWrittenIn(version: "1.0" | "0.3" | "0.1", error: WireError): boolean {
  return WRITTEN_IN[version]?.(error) ?? false;
}

/** Whether the error of a call is written in one of the dialects that the call may be in. */
export function isInItsDialect(question: HttpQuestion, call: unknown, error: WireError): boolean {
  return versionsOf(question, call).some((version) => WRITTEN_IN[version]?.(error));
}

function versionsOf({ headers }: HttpQuestion, call: unknown): string[] {
  const [, named = ""] = /^\s*(\d+\.\d+)(\.[\w.+-]+)?\s*$/.exec(headers["a2a-version"] ?? "") ?? [];
  if (WRITTEN_IN[named]) return [named];
  const method = isFields(call) && typeof call.method === "string" ? call.method : "";
  if (/^[A-Z]/.test(method)) return ["1.0", "0.3"];
  if (/^tasks\/(send|sendSubscribe|pushNotification\/[sg]et)$/.test(method)) return ["0.1", "0.3"];
  return /^tasks\/(get|cancel|resubscribe)$/.test(method) ? ["0.3", "0.1"] : ["0.3"];
}
