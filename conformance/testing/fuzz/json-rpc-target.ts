import { isInItsDialect } from "./error-dialects.ts";
import { type FuzzTarget, type GoodRequests, httpProbe, type Probe } from "./fuzz-target.ts";
import { REFUSED_REQUESTS } from "./good-requests.ts";
import type { HttpAnswer, HttpQuestion } from "./http-exchange.ts";
import { isFields, isPortError, jsonOf, rpcFault } from "./judge-answer.ts";
import { ODD_TEXTS, oddValue } from "./odd-values.ts";
import type { Random } from "./random.ts";
import { resultFault } from "./result-shapes.ts";
import { spoilText, spoilValue } from "./spoil-json.ts";
import { spoilRequest } from "./spoil-request.ts";

const PATHS = ["/", "/a2a", "/a2a/jsonrpc", "/message/stream"];

/** JSON-RPC in the dialect of this version. */
export function jsonRpcTarget(version: string, good: GoodRequests): FuzzTarget {
  return {
    name: `JSON-RPC ${version}`,
    probe(tasks, random) {
      const isGood = random.percent(5);
      const requests = isGood || random.percent(85) ? good : REFUSED_REQUESTS;
      const method = random.pick(Object.keys(requests));
      const call = { jsonrpc: "2.0", id: random.below(1_000), method, params: requests[method]?.(tasks) };
      const headers = { "content-type": "application/json", "a2a-version": version };
      const question = { method: "POST", path: random.pick(PATHS), headers };
      return isGood ? goodProbe(question, call) : spoiltProbe(question, call, random);
    },
  };
}

function goodProbe(question: HttpQuestion, call: { readonly id: number }): Probe {
  return httpProbe({ ...question, body: Buffer.from(JSON.stringify(call)) }, (answer) => {
    const read = jsonOf(question, answer);
    if (!read || "fault" in read) return read?.fault ?? "nothing";
    const fault = rpcFault(read.json, call.id);
    if (fault || !isFields(read.json)) return fault;
    return "result" in read.json ? resultFault(read.json.result) : `a good request refused: ${answer.text}`;
  });
}

function spoiltProbe(asked: HttpQuestion, call: object, random: Random): Probe {
  const spoilt = random.percent(15)
    ? spoilEnvelope(call, random)
    : random.percent(80)
      ? spoilValue(call, random)
      : call;
  const body = spoilText(spoilt, random);
  const question = spoilRequest(
    { ...asked, ...(random.percent(70) && { headers: { "content-type": "application/json" } }), body },
    random,
  );
  return httpProbe(question, (answer) => judge(question, answer));
}

function judge(question: HttpQuestion, answer: HttpAnswer): string | undefined {
  const read = jsonOf(question, answer);
  if (!read) return undefined;
  if ("fault" in read) return read.fault;
  if (isPortError(answer.status, read.json)) return undefined;
  const call = parsed(question.body);
  // A request that HTTP refuses, by its method or size, is not read: its id is not known.
  const fault = rpcFault(read.json, answer.status === 200 ? idIn(call) : null);
  if (fault || !isFields(read.json)) return fault;
  if ("result" in read.json) return resultFault(read.json.result);
  const error = read.json.error as Record<string, unknown>;
  if (answer.status !== 200 || isInItsDialect(question, call, error)) return undefined;
  return `an error of another dialect: ${answer.text}`;
}

function parsed(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return undefined;
  }
}

function idIn(call: unknown): unknown {
  const id = isFields(call) ? call.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function spoilEnvelope(call: object, random: Random): object {
  const member = random.pick(["jsonrpc", "id", "method", "params", "extra"]);
  const value =
    member === "method"
      ? random.pick([...ODD_TEXTS, 7, null, "SendMessage ", "tasks/get/"])
      : oddValue(random);
  return { ...call, [member]: value };
}
