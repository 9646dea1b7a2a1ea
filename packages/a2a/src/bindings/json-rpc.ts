import type { ServerResponse } from "node:http";
import { chooseDialect, errorDialect } from "../dialects/choose-dialect.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { v03Dialect } from "../dialects/v03/dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import { isObject } from "../protocol/model.ts";
import { activateExtensions } from "./admission.ts";
import type { AgentOperations } from "./agent-operations.ts";
import { type AgentRequestHandler, answerCall, sendJson } from "./answer-call.ts";
import { HttpError, protocolError } from "./http-error.ts";
import { checkAccess } from "./lost-access.ts";
import { readJson } from "./read-json.ts";
import {
  checkContentType,
  idempotencyKey,
  requestedVersion,
  requestKeyOf,
  traceparent,
} from "./request-headers.ts";
import { isClean } from "./request-limits.ts";
import { sseFrame } from "./sse-response.ts";

/** Answers A2A over JSON-RPC, in every dialect on one URL; `report` receives errors that are not the caller's. */
export function jsonRpcHandler(
  operations: AgentOperations,
  report: (error: unknown) => void,
): AgentRequestHandler {
  return async (request, response, identity) => {
    let id: RpcId = null;
    let dialect: Dialect = v03Dialect;
    try {
      const version = requestedVersion(request);
      dialect = errorDialect({ version, method: "" });
      checkContentType(request);
      const body = await readJson(request, identity);
      checkAccess(identity);
      id = idOf(body);
      const { method, params } = readCall(body);
      dialect = errorDialect({ version, method });
      const createdIn = async (taskId: string) =>
        isClean(taskId) ? operations.createdIn(taskId, identity.owner) : undefined;
      dialect = await chooseDialect({ version, method, params }, createdIn);
      activateExtensions(operations, { request, response, dialect });
      const operation = dialect.operationOf(method);
      const requestKey = requestKeyOf(operation, idempotencyKey(request), params ?? {});
      if (!operation) throw new A2AError("MethodNotFound", `There is no method ${method}`, { method });
      const spoken = { ...identity, dialect: dialect.version, traceparent: traceparent(request) };
      const exchange = {
        request,
        response,
        caller: { ...spoken, ...(requestKey && { requestKey }) },
        dialect,
        contentType: "application/json",
        wrap: resultWrapper(id),
        errorFrame: (error: unknown) => sseFrame(rpcErrorText(protocolError(error, report), dialect, id)),
      };
      await answerCall(operations, exchange, operation, params);
    } catch (error) {
      sendRpcError(response, protocolError(error, report), dialect, id);
    }
  };
}

/** Answers with an error, under the status that it has in HTTP, or 200 if it has none. */
export function sendRpcError(
  response: ServerResponse,
  error: A2AError,
  dialect: Dialect,
  id: RpcId = null,
): void {
  const { status = 200, headers = {} } = error instanceof HttpError ? error.answer : {};
  sendJson(response, { status, headers, text: rpcErrorText(error, dialect, id) });
}

function rpcErrorText(error: A2AError, dialect: Dialect, id: RpcId): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: dialect.encodeError(error) });
}

/** An id as JSON-RPC has it; null where the request had none that could be read. */
export type RpcId = string | number | null;

/** Every frame of a stream repeats the id, so a long one would cost its length over and over. */
const MAX_ID_LENGTH = 256;

/** A call, as far as JSON-RPC goes. */
export interface RpcCall {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
}

/** The id of whatever came, for an error that must carry it. */
export function idOf(body: unknown): RpcId {
  const id = isObject(body) ? body.id : undefined;
  if (typeof id === "string") return id.length > MAX_ID_LENGTH ? null : id;
  return typeof id === "number" ? id : null;
}

/** Checks the envelope. A missing `jsonrpc` is accepted, because documented calls leave it out. */
export function readCall(body: unknown): RpcCall {
  if (Array.isArray(body)) throw invalid("Batches are not part of A2A: send one request at a time");
  if (!isObject(body)) throw invalid("A request is a JSON object with a method");
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== undefined && jsonrpc !== "2.0") throw invalid('jsonrpc must be "2.0"');
  if (id !== undefined && id !== null && typeof id !== "string" && typeof id !== "number") {
    throw invalid("id must be a string or a number");
  }
  if (typeof id === "string" && id.length > MAX_ID_LENGTH) {
    throw invalid(`id has ${id.length} characters and may have ${MAX_ID_LENGTH}`);
  }
  if (typeof method !== "string" || method === "") throw invalid("method must be a string");
  return { id: idOf(body), method, params };
}

/** Puts results, which are JSON text already, into responses to this call. */
export function resultWrapper(id: RpcId): (result: string) => string {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  return (result) => `${head}${result}}`;
}

function invalid(message: string): A2AError {
  return new A2AError("InvalidRequest", message);
}
