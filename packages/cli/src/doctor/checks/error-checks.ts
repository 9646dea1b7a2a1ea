import type { A2AErrorKind } from "@parley/a2a";
import { A2A_ERRORS, type DialectVersion, type OperationRequests, restStatus } from "@parley/a2a/checks";
import {
  checksOf,
  fail,
  type InterfaceCheck,
  interfaceCheck,
  pass,
  type Severity,
  skip,
  type UnlistedCheck,
} from "../check.ts";
import { parsed } from "../exchange.ts";
import { claims } from "../probes/cards.ts";
import { endedTaskId, testMessage } from "../probes/conversation.ts";
import { type Answer, answerText, type InterfaceProbe, readAnswer } from "../probes/interface-probe.ts";
import { unknownTaskId } from "../probes/interfaces.ts";

/** Makes a request that must be refused; a text is the reason why it cannot be tried. */
type Provoke = (probe: InterfaceProbe) => Promise<Answer<unknown> | string>;

interface Expected extends Pick<InterfaceCheck, "appliesTo" | "capability"> {
  readonly kind: A2AErrorKind;
  /** The severity in each version; a version that is not named is not checked. */
  readonly in?: Partial<Readonly<Record<DialectVersion, Severity>>>;
}

const EVERYWHERE = { "1.0": "must", "0.3": "must", "0.1": "must" } as const;
const NEWER = { "1.0": "must", "0.3": "should" } as const;
const NO_ENDED_TASK = "The agent made no task that has ended";
const isJsonRpc = (probe: InterfaceProbe) => probe.isJsonRpc;

/** Checks that requests are refused with the right error. */
export const errorChecks = checksOf("Errors", [
  errorCheck(
    "error-parse",
    "Malformed JSON is answered with −32700",
    { kind: "ParseError", appliesTo: isJsonRpc },
    (probe) => probe.ask("get", { id: "x" }, { tamper: () => '{"jsonrpc":"2.0","id":1,"method":' }),
  ),
  errorCheck(
    "error-request",
    "A request whose method is not a string is answered with −32600",
    {
      kind: "InvalidRequest",
      in: { "1.0": "should", "0.3": "should", "0.1": "should" },
      appliesTo: isJsonRpc,
    },
    (probe) => probe.ask("get", { id: "x" }, { tamper: (body) => ({ ...body, method: 5 }) }),
  ),
  errorCheck(
    "error-method",
    "An unknown method is answered with −32601",
    { kind: "MethodNotFound", appliesTo: isJsonRpc },
    (probe) => {
      const method = probe.dialect === "1.0" ? "DoctorsNoSuchMethod" : "doctor/noSuchMethod";
      return probe.ask("get", { id: "x" }, { tamper: (body) => ({ ...body, method }) });
    },
  ),
  errorCheck(
    "error-params",
    "A message without parts is answered with −32602",
    { kind: "InvalidParams" },
    (probe) =>
      probe.ask("send", testMessage(probe, probe.isGrpc ? { parts: [] } : {}), {
        tamper: (body) => withoutParts(probe, body),
      }),
  ),
  errorCheck(
    "error-params-missing",
    "A request without a message is answered with −32602",
    { kind: "InvalidParams", appliesTo: ({ isGrpc }) => !isGrpc },
    (probe) =>
      probe.ask("send", testMessage(probe), {
        tamper: (body) => (probe.isJsonRpc ? { ...body, params: {} } : {}),
      }),
  ),
  errorCheck(
    "error-history-length",
    "A negative historyLength is answered with −32602",
    { kind: "InvalidParams", in: { "1.0": "should", "0.3": "should" }, appliesTo: isJsonRpc },
    async (probe) => {
      const id = (await endedTaskId(probe)) ?? unknownTaskId();
      const tamper = (body: Record<string, unknown>) => ({ ...body, params: { id, historyLength: -1 } });
      return probe.ask("get", { id }, { tamper });
    },
  ),
  errorCheck(
    "error-unknown-task",
    "Getting an unknown task is answered with −32001",
    { kind: "TaskNotFound" },
    (probe) => probe.ask("get", { id: unknownTaskId() }),
  ),
  errorCheck(
    "error-cancel-unknown",
    "Canceling an unknown task is answered with −32001",
    { kind: "TaskNotFound" },
    (probe) => probe.ask("cancel", { id: unknownTaskId() }),
  ),
  errorCheck(
    "error-cancel-ended",
    "Canceling a task that has ended is answered with −32002",
    { kind: "TaskNotCancelable" },
    withEndedTask((probe, id) => probe.ask("cancel", { id })),
  ),
  errorCheck(
    "error-subscribe-unknown",
    "Subscribing to an unknown task is answered with −32001",
    { kind: "TaskNotFound", capability: "streaming" },
    (probe) => refusedStream(probe, "subscribe", { id: unknownTaskId() }),
  ),
  errorCheck(
    "error-subscribe-ended",
    "Subscribing to a task that has ended is answered with −32004",
    { kind: "UnsupportedOperation", in: { "1.0": "must" }, capability: "streaming" },
    withEndedTask((probe, id) => refusedStream(probe, "subscribe", { id })),
  ),
  errorCheck(
    "error-send-unknown",
    "A message to an unknown task is answered with −32001 and makes no task",
    { kind: "TaskNotFound", in: { "1.0": "must", "0.3": "must" } },
    (probe) => probe.ask("send", testMessage(probe, { taskId: unknownTaskId() })),
  ),
  errorCheck(
    "error-send-ended",
    "A message to a task that has ended is answered with −32004",
    { kind: "UnsupportedOperation", in: NEWER },
    withEndedTask((probe, taskId) => probe.ask("send", testMessage(probe, { taskId }))),
  ),
  errorCheck(
    "error-stream-unclaimed",
    "Streaming that the card does not claim is answered with −32004",
    { kind: "UnsupportedOperation", in: NEWER },
    async (probe) =>
      (await claims(probe.examination)).streaming
        ? "The card claims streaming"
        : refusedStream(probe, "stream", testMessage(probe)),
  ),
  errorCheck(
    "error-push-unclaimed",
    "Webhooks that the card does not claim are answered with −32003",
    { kind: "PushNotificationNotSupported", in: NEWER },
    async (probe) => {
      if ((await claims(probe.examination)).pushNotifications) return "The card claims webhooks";
      const taskId = (await endedTaskId(probe)) ?? unknownTaskId();
      return probe.ask("listPush", { taskId });
    },
  ),
  interfaceCheck(
    {
      ...textsOf("rest-status", "REST errors have the right HTTP status and a reason"),
      clause: "A2A 1.0 §11.6 (v1.0.1)",
      appliesTo: ({ endpoint, dialect }) => endpoint.binding === "HTTP+JSON" && dialect === "1.0",
    },
    async (probe) => {
      const answer = await probe.ask("get", { id: unknownTaskId() });
      const { status, text, evidence } = answer.exchange;
      if (!answer.error) return fail(answerText(answer), [evidence]);
      const expected = restStatus(answer.error);
      if (status !== expected)
        return fail(`${answer.error.kind} has HTTP status ${status}, not ${expected}`, [evidence]);
      return /"reason"/.test(text)
        ? pass(`HTTP ${status}`)
        : fail("There is no ErrorInfo with a reason", [evidence], "should");
    },
  ),
]);

function errorCheck(id: string, title: string, expected: Expected, provoke: Provoke): UnlistedCheck {
  const { kind, in: severities = EVERYWHERE, appliesTo = () => true, capability } = expected;
  const scope = {
    appliesTo: (probe: InterfaceProbe) => severities[probe.dialect] !== undefined && appliesTo(probe),
    ...(capability && { capability }),
  };
  return interfaceCheck({ ...textsOf(id, title), ...scope }, async (probe) => {
    const answer = await provoke(probe);
    if (typeof answer === "string") return skip(answer);
    const isRight =
      answer.error?.kind === kind && (answer.code === undefined || answer.code === A2A_ERRORS[kind].code);
    if (isRight) return pass(answerText(answer));
    return fail(`Answered with ${answerText(answer)}`, [answer.exchange.evidence], severities[probe.dialect]);
  });
}

function textsOf(id: string, title: string) {
  return {
    id,
    title,
    clause: "A2A 1.0 §3.3.2, §5.4, §9.5, §10.6; 0.3 §8; protocol.md, “Errors”",
    severity: "must",
    meaning: "A client cannot tell what went wrong, and does the wrong thing next.",
    remedy: "Answer with the error code that the clause requires; clients decide by it what to do next.",
  } as const;
}

function withEndedTask(act: (probe: InterfaceProbe, id: string) => Promise<Answer<unknown>>): Provoke {
  return async (probe) => {
    const id = await endedTaskId(probe);
    return id === undefined ? NO_ENDED_TASK : act(probe, id);
  };
}

/** Opens a stream that has to be refused, and leaves it where it is not. */
async function refusedStream<O extends "stream" | "subscribe">(
  probe: InterfaceProbe,
  operation: O,
  request: OperationRequests[O],
): Promise<Answer<unknown>> {
  let first: string | undefined;
  const seen = await probe.openStream(operation, request, ({ data }) => {
    first = data;
    return "enough";
  });
  if (seen.error) return { exchange: { ...seen, status: 0 }, error: seen.error };
  if (first === undefined) return readAnswer(probe.endpoint, "get", seen);
  // Some agents answer with a stream whose only event is the error.
  const answer = readAnswer(probe.endpoint, "get", { ...seen, json: parsed(first) });
  return answer.error ? answer : { exchange: seen, problem: "a stream" };
}

function withoutParts({ isJsonRpc }: InterfaceProbe, body: Record<string, unknown>): unknown {
  const params = (isJsonRpc ? body.params : body) as { readonly message: object };
  const { parts, content, ...rest } = params.message as { parts?: unknown; content?: unknown };
  const empty = content === undefined || parts !== undefined ? { parts: [] } : { content: [] };
  const tampered = { ...params, message: { ...rest, ...empty } };
  return isJsonRpc ? { ...body, params: tampered } : tampered;
}
