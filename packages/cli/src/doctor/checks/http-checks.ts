import { isObject } from "@parley/a2a";
import { beside, right, wrong } from "../check.ts";
import { claims } from "../probes/cards.ts";
import { isStream } from "../probes/seen-stream.ts";
import { streamed } from "../probes/talk.ts";
import { ask, isGrpc, told } from "../probes/way.ts";
import { unknownTask } from "../probes/ways.ts";
import { checksOf, wayCheck } from "./define.ts";

const JSON_TYPE = /^application\/([\w.-]+\+)?json\b/;

/** What is below A2A: JSON-RPC and HTTP. */
export const httpChecks = checksOf("JSON-RPC and HTTP", [
  wayCheck(
    {
      id: "rpc-id",
      title: "The id of a request comes back as it is, text or number",
      clause: "JSON-RPC 2.0 §5",
      severity: "must",
      meaning: "A client cannot find the request that an answer belongs to.",
      remedy: "Repeat the id with its value and its type, in errors too.",
    },
    async (examination, way) => {
      if (way.endpoint.binding !== "JSONRPC") return undefined;
      for (const id of ["doctor-ä-1", 4_711, "12"]) {
        const answer = await ask(examination, way, {
          operation: "get",
          request: { id: unknownTask() },
          spoil: (body) => ({ ...body, id }),
        });
        const { json, evidence } = answer.exchange;
        if (!isObject(json)) return wrong(told(answer), [evidence]);
        if (json.id !== id)
          return wrong(`${JSON.stringify(id)} came back as ${JSON.stringify(json.id)}`, [evidence]);
        if (json.jsonrpc !== "2.0") return wrong(`jsonrpc is ${JSON.stringify(json.jsonrpc)}`, [evidence]);
      }
      return right("It does");
    },
  ),
  wayCheck(
    {
      id: "rpc-notification",
      title: "A request without an id is taken without a made-up one",
      clause: "JSON-RPC 2.0 §4.1 (A2A has no notifications)",
      severity: "should",
      meaning: "The agent breaks, or answers a question under an id that nobody gave.",
      remedy: "Answer with an empty body, or with id null.",
    },
    async (examination, way) => {
      if (way.endpoint.binding !== "JSONRPC") return undefined;
      const spoil = ({ id: _, ...body }: Record<string, unknown>) => body;
      const { exchange } = await ask(examination, way, {
        operation: "get",
        request: { id: unknownTask() },
        spoil,
      });
      const { json, status, text, failure, evidence } = exchange;
      if (failure !== undefined || status >= 500) return wrong(failure ?? `HTTP ${status}`, [evidence]);
      if (text === "") return right(`HTTP ${status}, empty`);
      const id = isObject(json) ? (json.id ?? null) : undefined;
      return id === null
        ? right("Answered with id null")
        : wrong(`Answered with id ${JSON.stringify(id)}`, [evidence]);
    },
  ),
  wayCheck(
    {
      id: "http-content-type",
      title: "Answers are JSON, and streams are text/event-stream",
      clause: "A2A 1.0 §9.1, §9.4.2, §11.1; 0.3 §3.2",
      severity: "must",
      meaning: "A client that looks at the type does not read the answer.",
      remedy:
        "Content-Type: application/json (REST: application/a2a+json), and text/event-stream for streams.",
    },
    async (examination, way) => {
      if (isGrpc(way)) return undefined;
      const { exchange } = await ask(examination, way, { operation: "get", request: { id: unknownTask() } });
      if (!JSON_TYPE.test(exchange.contentType))
        return wrong(`An answer has ${exchange.contentType || "no type"}`, [exchange.evidence]);
      if (!(await claims(examination)).streaming) return right(exchange.contentType);
      const { wire } = await streamed(examination, way);
      if (isStream(wire)) return right(`${exchange.contentType}, ${wire.contentType}`);
      return wrong(`A stream is asked for, and what comes is ${wire.contentType || "nothing"}`, [
        wire.evidence,
      ]);
    },
  ),
  wayCheck(
    {
      id: "http-status",
      title: "Errors of JSON-RPC come with HTTP 200",
      clause: "custom of JSON-RPC over HTTP; no clause of A2A",
      severity: "should",
      meaning:
        "Clients and proxies take the status for a failure of the connection and do not read the error.",
      remedy: "Answer 200; other statuses are for what never reached JSON-RPC.",
    },
    async (examination, way) => {
      if (way.endpoint.binding !== "JSONRPC") return undefined;
      const { exchange } = await ask(examination, way, { operation: "get", request: { id: unknownTask() } });
      return exchange.status === 200
        ? right("HTTP 200")
        : wrong(`HTTP ${exchange.status}`, [exchange.evidence]);
    },
  ),
  wayCheck(
    {
      id: "unknown-fields",
      title: "Fields that are not known are ignored",
      clause: "A2A 1.0 §5.7",
      severity: "should",
      meaning: "A client of a later version, or with an extension, is refused.",
      remedy: "Ignore members that you do not know.",
    },
    async (examination, way) => {
      if (way.endpoint.binding !== "JSONRPC") return undefined;
      const spoil = (body: Record<string, unknown>) => ({
        ...body,
        params: { ...(body.params as object), doctorsOwnField: { deep: [1] } },
      });
      const answer = await ask(examination, way, { operation: "get", request: { id: unknownTask() }, spoil });
      if (answer.error?.kind === "TaskNotFound") return right("They are");
      if (answer.error?.kind !== "InvalidParams") return beside(told(answer));
      return wrong(told(answer), [answer.exchange.evidence]);
    },
  ),
]);
