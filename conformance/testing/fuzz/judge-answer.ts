import type { HttpAnswer, HttpQuestion } from "./http-exchange.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What is wrong with an answer as such, before anybody looks at its binding; else its JSON, or undefined where there is none to judge. */
export function jsonOf(
  question: HttpQuestion,
  { status, type, text }: HttpAnswer,
): { readonly fault: string } | { readonly json: unknown } | undefined {
  if (status >= 500) return { fault: `status ${status}: ${text.slice(0, 200)}` };
  if (question.method === "HEAD" || status === 204)
    return text === "" ? undefined : { fault: "a body where there is none" };
  if (type === "text/event-stream") {
    const data = /^data: (.*)$/m.exec(text)?.[1];
    if (data === undefined || /^event: error$/m.test(text))
      return { fault: `a broken stream: ${text.slice(0, 200)}` };
    return parsed(data);
  }
  if (!/^application\/([\w.-]+\+)?json\b/.test(type)) return { fault: `type ${type} with status ${status}` };
  return parsed(text);
}

/** Whether an answer is an error of the port itself, which is the same for all bindings. */
export function isPortError(status: number, json: unknown): boolean {
  const error = isFields(json) ? json.error : undefined;
  return (
    status >= 400 && isFields(error) && typeof error.code === "string" && typeof error.message === "string"
  );
}

/** What is wrong with a JSON-RPC answer, apart from what its error or result says. */
export function rpcFault(json: unknown, expectedId: unknown): string | undefined {
  if (!isFields(json) || json.jsonrpc !== "2.0") return "not a JSON-RPC answer";
  if (!isRightId(json, expectedId))
    return `id ${JSON.stringify(json.id)} instead of ${JSON.stringify(expectedId)}`;
  if ("result" in json === "error" in json) return "not exactly one of result and error";
  if ("result" in json) return undefined;
  const { error } = json;
  if (!isFields(error) || !Number.isInteger(error.code) || typeof error.message !== "string")
    return "not an error object";
  return error.code === -32603 ? "an internal error" : undefined;
}

/** Bodies that are refused unread, as they are too deep, no JSON or do not say they are, have no id that could come back. */
const UNREAD: readonly unknown[] = [-32700, -32600, -32005];

function isRightId({ id, error }: Fields, expected: unknown): boolean {
  if (id === expected) return true;
  return id === null && isFields(error) && UNREAD.includes(error.code);
}

/** What is wrong with an error of REST. */
export function restErrorFault(json: unknown, status: number): string | undefined {
  const error = isFields(json) ? json.error : undefined;
  if (!isFields(error)) return "not an error object";
  const isWhole =
    error.code === status &&
    typeof error.status === "string" &&
    typeof error.message === "string" &&
    Array.isArray(error.details) &&
    isErrorInfo(error.details[0]);
  return isWhole ? undefined : `an incomplete error: ${JSON.stringify(error)}`;
}

/** Whether this is the detail that every error of A2A carries. */
export function isErrorInfo(detail: unknown): boolean {
  return isFields(detail) && typeof detail.reason === "string" && detail.domain === "a2a-protocol.org";
}

/** Whether a value is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): { readonly fault: string } | { readonly json: unknown } {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return { fault: `not JSON: ${text.slice(0, 200)}` };
  }
}
