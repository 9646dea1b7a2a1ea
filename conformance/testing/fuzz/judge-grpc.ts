import { decodeErrorInfo, decodeStatus } from "@a2a-js/sdk/errors/grpc";
import { status } from "@grpc/grpc-js";
import type { GrpcAnswer } from "./grpc-exchange.ts";
import { isErrorInfo, isFields } from "./judge-answer.ts";

/** The statuses allowed for client errors. */
const REFUSALS: ReadonlySet<number> = new Set([
  status.INVALID_ARGUMENT,
  status.NOT_FOUND,
  status.FAILED_PRECONDITION,
  status.UNIMPLEMENTED,
]);

/** What a call may end with besides, when its frames or headers are not those of gRPC. */
const OF_THE_WIRE: ReadonlySet<number> = new Set([
  status.CANCELLED,
  status.DEADLINE_EXCEEDED,
  status.RESOURCE_EXHAUSTED,
  status.INTERNAL,
]);

/** What is wrong with an answer, apart from what its message says; `isPlain` calls are gRPC, whatever they ask. */
export function grpcFault(
  answer: GrpcAnswer,
  { isPlain }: { readonly isPlain: boolean },
): string | undefined {
  const { httpStatus, status: code, message } = answer;
  const shown = `${httpStatus} ${code} ${message}`;
  if (!isPlain) {
    const isRefused = httpStatus >= 400 && httpStatus < 500;
    const isKnown = code === undefined || code === 0 || REFUSALS.has(code) || OF_THE_WIRE.has(code);
    return isRefused || isKnown ? undefined : `a broken call ended with ${shown}`;
  }
  if (httpStatus !== 200) return `HTTP ${shown}`;
  if (answer.first) return undefined;
  if (code === status.RESOURCE_EXHAUSTED && /larger than max/.test(message)) return undefined;
  if (code === undefined || !REFUSALS.has(code)) return `ended with ${shown}`;
  return hasReason(answer) ? undefined : `without a reason: ${shown}`;
}

function hasReason({ details, status: code, message }: GrpcAnswer): boolean {
  // The library itself answers for methods that there are not.
  if (code === status.UNIMPLEMENTED && /does not implement the method/.test(message)) return true;
  const [detail] = details ? decodeStatus(details).details : [];
  return detail !== undefined && isErrorInfo(decodeErrorInfo(detail.value));
}

/** What is wrong with a message that is meant as a task, a message, a list, an event or a push config. */
export function grpcResultFault(result: unknown): string | undefined {
  return isResult(result) ? undefined : `no such result: ${JSON.stringify(result)?.slice(0, 300)}`;
}

function isResult(result: unknown): boolean {
  if (!isFields(result)) return false;
  const { payload, tasks, configs } = result;
  if (isFields(payload)) return isFields(payload.value) && isResult(payload.value);
  if (Array.isArray(tasks)) return typeof result.nextPageToken === "string" && tasks.every(isResult);
  if (Array.isArray(configs)) return configs.every(isResult);
  if (isFields(result.status)) return isState(result.status.state) && isName(result.id ?? result.taskId);
  if (isFields(result.artifact)) return isName(result.taskId) && Array.isArray(result.artifact.parts);
  if ("messageId" in result) return isName(result.messageId) && Array.isArray(result.parts ?? result.content);
  const isConfig = isName(result.url) || isFields(result.pushNotificationConfig);
  return isConfig || Object.keys(result).length === 0;
}

function isState(state: unknown): boolean {
  return typeof state === "number" && state >= 1 && state <= 8;
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
