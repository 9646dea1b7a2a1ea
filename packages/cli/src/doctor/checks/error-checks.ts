import type { A2AErrorKind } from "@parley/a2a";
import { A2A_ERRORS, type DialectVersion, type OperationRequests, restStatus } from "@parley/a2a/checks";
import { beside, type Finding, right, type Severity, wrong } from "../check.ts";
import type { Examination } from "../examination.ts";
import { parsed } from "../exchange.ts";
import { claims } from "../probes/cards.ts";
import { endedTask, message } from "../probes/talk.ts";
import { type Answer, ask, isGrpc, openStream, readAnswer, told, type Way } from "../probes/way.ts";
import { unknownTask } from "../probes/ways.ts";
import { type About, checksOf, type UnlistedCheck, wayCheck } from "./define.ts";

type Asking = (examination: Examination, way: Way) => Promise<Answer<unknown> | string | undefined>;

interface Expected {
  readonly kinds: readonly A2AErrorKind[];
  /** How much it weighs in a version; one that is not named is not asked. */
  readonly in: Partial<Readonly<Record<DialectVersion, Severity>>>;
  readonly rpcOnly?: true;
}

const EVERYWHERE = { "1.0": "must", "0.3": "must", "0.1": "must" } as const;
const MENDING = "Answer with the code that the clause names; clients decide by it what to do next.";

/** What is refused, and with which code. */
export const errorChecks = checksOf("Errors", [
  errorCheck(
    "error-parse",
    "Malformed JSON is −32700",
    { kinds: ["ParseError"], in: EVERYWHERE, rpcOnly: true },
    (examination, way) =>
      ask(examination, way, {
        operation: "get",
        request: { id: "x" },
        spoil: () => '{"jsonrpc":"2.0","id":1,"method":',
      }),
  ),
  errorCheck(
    "error-request",
    "A request whose method is no text is −32600",
    { kinds: ["InvalidRequest"], in: { "1.0": "should", "0.3": "should", "0.1": "should" }, rpcOnly: true },
    (examination, way) =>
      ask(examination, way, {
        operation: "get",
        request: { id: "x" },
        spoil: (body) => ({ ...body, method: 5 }),
      }),
  ),
  errorCheck(
    "error-method",
    "An unknown method is −32601",
    { kinds: ["MethodNotFound"], in: EVERYWHERE, rpcOnly: true },
    (examination, way) => {
      const method = way.endpoint.dialect === "1.0" ? "DoctorsNoSuchMethod" : "doctor/noSuchMethod";
      return ask(examination, way, {
        operation: "get",
        request: { id: "x" },
        spoil: (body) => ({ ...body, method }),
      });
    },
  ),
  errorCheck(
    "error-params",
    "A message without parts is −32602",
    { kinds: ["InvalidParams"], in: EVERYWHERE },
    (examination, way) =>
      ask(examination, way, {
        operation: "send",
        request: message(examination, way, isGrpc(way) ? { parts: [] } : {}),
        spoil: (body) => withoutParts(way, body),
      }),
  ),
  errorCheck(
    "error-params-missing",
    "A message that is missing is −32602",
    { kinds: ["InvalidParams"], in: EVERYWHERE },
    async (examination, way) =>
      isGrpc(way)
        ? undefined
        : ask(examination, way, {
            operation: "send",
            request: message(examination, way),
            spoil: (body) => (way.endpoint.binding === "JSONRPC" ? { ...body, params: {} } : {}),
          }),
  ),
  errorCheck(
    "error-history-length",
    "A negative historyLength is −32602",
    { kinds: ["InvalidParams"], in: { "1.0": "should", "0.3": "should" }, rpcOnly: true },
    async (examination, way) => {
      const id = (await endedTask(examination, way)) ?? unknownTask();
      const spoil = (body: Record<string, unknown>) => ({ ...body, params: { id, historyLength: -1 } });
      return ask(examination, way, { operation: "get", request: { id }, spoil });
    },
  ),
  errorCheck(
    "error-unknown-task",
    "An unknown task is −32001",
    { kinds: ["TaskNotFound"], in: EVERYWHERE },
    (examination, way) => ask(examination, way, { operation: "get", request: { id: unknownTask() } }),
  ),
  errorCheck(
    "error-cancel-unknown",
    "Canceling an unknown task is −32001",
    { kinds: ["TaskNotFound"], in: EVERYWHERE },
    (examination, way) => ask(examination, way, { operation: "cancel", request: { id: unknownTask() } }),
  ),
  errorCheck(
    "error-cancel-ended",
    "Canceling a task that has ended is −32002",
    { kinds: ["TaskNotCancelable"], in: EVERYWHERE },
    async (examination, way) => {
      const id = await endedTask(examination, way);
      return id === undefined
        ? "It made no task that has ended"
        : ask(examination, way, { operation: "cancel", request: { id } });
    },
  ),
  errorCheck(
    "error-subscribe-unknown",
    "Subscribing to an unknown task is −32001",
    { kinds: ["TaskNotFound"], in: EVERYWHERE },
    async (examination, way) =>
      (await streams(examination))
        ? refusedStream(examination, way, unknownTask())
        : "The card does not claim streaming",
  ),
  errorCheck(
    "error-subscribe-ended",
    "Subscribing to a task that has ended is −32004",
    { kinds: ["UnsupportedOperation"], in: { "1.0": "must" } },
    async (examination, way) => {
      if (!(await streams(examination))) return "The card does not claim streaming";
      const id = await endedTask(examination, way);
      return id === undefined ? "It made no task that has ended" : refusedStream(examination, way, id);
    },
  ),
  errorCheck(
    "error-send-unknown",
    "A message to an unknown task is −32001, and makes none",
    { kinds: ["TaskNotFound"], in: { "1.0": "must", "0.3": "must" } },
    (examination, way) =>
      ask(examination, way, {
        operation: "send",
        request: message(examination, way, { taskId: unknownTask() }),
      }),
  ),
  errorCheck(
    "error-send-ended",
    "A message to a task that has ended is −32004",
    { kinds: ["UnsupportedOperation"], in: { "1.0": "must", "0.3": "should" } },
    async (examination, way) => {
      const taskId = await endedTask(examination, way);
      return taskId === undefined
        ? "It made no task that has ended"
        : ask(examination, way, { operation: "send", request: message(examination, way, { taskId }) });
    },
  ),
  errorCheck(
    "error-stream-unclaimed",
    "Streaming that is not claimed is −32004",
    { kinds: ["UnsupportedOperation"], in: { "1.0": "must", "0.3": "should" } },
    async (examination, way) => {
      if (await streams(examination)) return "The card claims streaming";
      return refused(examination, way, { operation: "stream", request: message(examination, way) });
    },
  ),
  errorCheck(
    "error-push-unclaimed",
    "Webhooks that are not claimed are −32003",
    { kinds: ["PushNotificationNotSupported"], in: { "1.0": "must", "0.3": "should" } },
    async (examination, way) => {
      if ((await claims(examination)).pushNotifications) return "The card claims webhooks";
      const taskId = (await endedTask(examination, way)) ?? unknownTask();
      return ask(examination, way, { operation: "listPush", request: { taskId } });
    },
  ),
  wayCheck(
    {
      ...about("rest-status", "Errors over REST have their HTTP status and say their reason", "must"),
      clause: "A2A 1.0 §11.6 (v1.0.1)",
    },
    async (examination, way) => {
      if (way.endpoint.binding !== "HTTP+JSON" || way.endpoint.dialect !== "1.0") return undefined;
      const answer = await ask(examination, way, { operation: "get", request: { id: unknownTask() } });
      if (!answer.error) return wrong(told(answer), [answer.exchange.evidence]);
      const due = restStatus(answer.error);
      const { status, text, evidence } = answer.exchange;
      if (status !== due) return wrong(`${answer.error.kind} is HTTP ${status}, not ${due}`, [evidence]);
      return /"reason"/.test(text)
        ? right(`HTTP ${status}`)
        : wrong("It has no ErrorInfo with a reason", [evidence], "should");
    },
  ),
]);

function errorCheck(id: string, title: string, expected: Expected, asking: Asking): UnlistedCheck {
  return wayCheck(about(id, title, "must"), async (examination, way): Promise<Finding | undefined> => {
    const severity = expected.in[way.endpoint.dialect];
    if (severity === undefined || (expected.rpcOnly && way.endpoint.binding !== "JSONRPC")) return undefined;
    const answer = await asking(examination, way);
    if (answer === undefined) return undefined;
    if (typeof answer === "string") return beside(answer);
    const { evidence } = answer.exchange;
    const codes = expected.kinds.map((kind): number => A2A_ERRORS[kind].code);
    const isRight =
      answer.error &&
      expected.kinds.includes(answer.error.kind) &&
      (answer.code === undefined || codes.includes(answer.code));
    return isRight ? right(told(answer)) : wrong(`It answers ${told(answer)}`, [evidence], severity);
  });
}

function about(id: string, title: string, severity: Severity): About {
  const clause = "A2A 1.0 §3.3.2, §5.4, §9.5, §10.6; 0.3 §8; protocol.md, “Errors”";
  const meaning = "A client cannot tell what went wrong, and does the wrong thing next.";
  return { id, title, severity, clause, meaning, remedy: MENDING };
}

async function streams(examination: Examination): Promise<boolean> {
  return (await claims(examination)).streaming === true;
}

function refusedStream(examination: Examination, way: Way, id: string): Promise<Answer<unknown>> {
  return refused(examination, way, { operation: "subscribe", request: { id } });
}

/** A stream that should be refused; where it is not, it is left again. */
async function refused<O extends "stream" | "subscribe">(
  examination: Examination,
  way: Way,
  question: { readonly operation: O; readonly request: OperationRequests[O] },
): Promise<Answer<unknown>> {
  let first: string | undefined;
  const take = ({ data }: { readonly data: string }) => {
    first = data;
    return "enough" as const;
  };
  const seen = await openStream(examination, way, { ...question, take });
  if (seen.error) return { exchange: { ...seen, status: 0 }, error: seen.error };
  if (first === undefined) return readAnswer(way, "get", seen);
  // Some answer with a stream whose only event is the error.
  const answer = readAnswer(way, "get", { ...seen, json: parsed(first) });
  return answer.error ? answer : { exchange: seen, problem: "a stream" };
}

function withoutParts({ endpoint }: Way, body: Record<string, unknown>): unknown {
  const params = (endpoint.binding === "JSONRPC" ? body.params : body) as { readonly message: object };
  const { parts, content, ...rest } = params.message as { parts?: unknown; content?: unknown };
  const empty = content === undefined || parts !== undefined ? { parts: [] } : { content: [] };
  const spoiled = { ...params, message: { ...rest, ...empty } };
  return endpoint.binding === "JSONRPC" ? { ...body, params: spoiled } : spoiled;
}
