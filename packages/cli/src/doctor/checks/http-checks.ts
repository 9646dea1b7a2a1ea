import { isObject } from "@parley/a2a";
import { checksOf, fail, interfaceCheck, pass, skip } from "../check.ts";
import { claims } from "../probes/cards.ts";
import { streamed } from "../probes/conversation.ts";
import { answerText } from "../probes/interface-probe.ts";
import { unknownTaskId } from "../probes/interfaces.ts";
import { isStream } from "../probes/observed-stream.ts";

const JSON_TYPE = /^application\/([\w.-]+\+)?json\b/;

/** Checks of the layers below A2A. */
export const httpChecks = checksOf("JSON-RPC and HTTP", [
  interfaceCheck(
    {
      id: "rpc-id",
      title: "Responses repeat the request's id, string or number",
      clause: "JSON-RPC 2.0 §5",
      severity: "must",
      meaning: "A client cannot match a response to its request.",
      remedy: "Repeat the id with its value and its type, in errors too.",
      appliesTo: ({ isJsonRpc }) => isJsonRpc,
    },
    async (probe) => {
      for (const id of ["doctor-ä-1", 4_711, "12"]) {
        const tamper = (body: Record<string, unknown>) => ({ ...body, id });
        const answer = await probe.ask("get", { id: unknownTaskId() }, { tamper });
        const { json, evidence } = answer.exchange;
        if (!isObject(json)) return fail(answerText(answer), [evidence]);
        if (json.id !== id)
          return fail(`${JSON.stringify(id)} came back as ${JSON.stringify(json.id)}`, [evidence]);
        if (json.jsonrpc !== "2.0") return fail(`jsonrpc is ${JSON.stringify(json.jsonrpc)}`, [evidence]);
      }
      return pass("Every id came back");
    },
  ),
  interfaceCheck(
    {
      id: "rpc-notification",
      title: "A request without an id is not answered under an invented id",
      clause: "JSON-RPC 2.0 §4.1 (A2A has no notifications)",
      severity: "should",
      meaning: "The agent fails, or answers under an id that nobody sent.",
      remedy: "Answer with an empty body, or with id null.",
      appliesTo: ({ isJsonRpc }) => isJsonRpc,
    },
    async (probe) => {
      const tamper = ({ id: _, ...body }: Record<string, unknown>) => body;
      const { exchange } = await probe.ask("get", { id: unknownTaskId() }, { tamper });
      const { json, status, text, failure, evidence } = exchange;
      if (failure !== undefined || status >= 500) return fail(failure ?? `HTTP ${status}`, [evidence]);
      if (text === "") return pass(`HTTP ${status}, empty`);
      const id = isObject(json) ? (json.id ?? null) : undefined;
      const detail = `Answered with id ${JSON.stringify(id)}`;
      return id === null ? pass(detail) : fail(detail, [evidence]);
    },
  ),
  interfaceCheck(
    {
      id: "http-content-type",
      title: "Responses are JSON, and streams are text/event-stream",
      clause: "A2A 1.0 §9.1, §9.4.2, §11.1; 0.3 §3.2",
      severity: "must",
      meaning: "A client that checks the content type does not read the response.",
      remedy:
        "Set Content-Type: application/json (REST: application/a2a+json), and text/event-stream for streams.",
      appliesTo: ({ isGrpc }) => !isGrpc,
    },
    async (probe) => {
      const { exchange } = await probe.ask("get", { id: unknownTaskId() });
      if (!JSON_TYPE.test(exchange.contentType))
        return fail(`A response has ${exchange.contentType || "no content type"}`, [exchange.evidence]);
      if (!(await claims(probe.examination)).streaming) return pass(exchange.contentType);
      const { wire } = await streamed(probe);
      if (isStream(wire)) return pass(`${exchange.contentType}, ${wire.contentType}`);
      return fail(`A stream has ${wire.contentType || "no content type"}`, [wire.evidence]);
    },
  ),
  interfaceCheck(
    {
      id: "http-status",
      title: "JSON-RPC errors have HTTP status 200",
      clause: "convention of JSON-RPC over HTTP; not in A2A",
      severity: "should",
      meaning: "Clients and proxies take the status for a transport failure and do not read the error.",
      remedy: "Answer 200; other statuses are for requests that never reached JSON-RPC.",
      appliesTo: ({ isJsonRpc }) => isJsonRpc,
    },
    async (probe) => {
      const { status, evidence } = (await probe.ask("get", { id: unknownTaskId() })).exchange;
      return status === 200 ? pass("HTTP 200") : fail(`HTTP ${status}`, [evidence]);
    },
  ),
  interfaceCheck(
    {
      id: "unknown-fields",
      title: "Unknown fields are ignored",
      clause: "A2A 1.0 §5.7",
      severity: "should",
      meaning: "A client of a later version, or with an extension, is rejected.",
      remedy: "Ignore fields that you do not know.",
      appliesTo: ({ isJsonRpc }) => isJsonRpc,
    },
    async (probe) => {
      const tamper = (body: Record<string, unknown>) => ({
        ...body,
        params: { ...(body.params as object), doctorsOwnField: { deep: [1] } },
      });
      const answer = await probe.ask("get", { id: unknownTaskId() }, { tamper });
      if (answer.error?.kind === "TaskNotFound") return pass("Ignored");
      if (answer.error?.kind !== "InvalidParams") return skip(answerText(answer));
      return fail(answerText(answer), [answer.exchange.evidence]);
    },
  ),
]);
