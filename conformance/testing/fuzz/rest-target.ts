import type { FuzzTarget, KnownTasks, Probe } from "./fuzz-target.ts";
import { V1_REQUESTS } from "./good-requests.ts";
import type { HttpAnswer, HttpQuestion } from "./http-exchange.ts";
import { isPortError, jsonOf, restErrorFault } from "./judge-answer.ts";
import { ODD_TEXTS, oddValue } from "./odd-values.ts";
import type { Random } from "./random.ts";
import { resultFault } from "./result-shapes.ts";
import { spoilText, spoilValue } from "./spoil-json.ts";
import { spoilRequest } from "./spoil-request.ts";

const HEADERS = { "content-type": "application/a2a+json", "a2a-version": "1.0" };

interface RestRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** v1.0 over REST, below this root. */
export function restTarget(root: string): FuzzTarget {
  return {
    name: `REST at ${root}`,
    probe(tasks, random) {
      const isGood = random.percent(5);
      const asked = random.pick(
        isGood ? goodRequests(tasks) : [...goodRequests(tasks), ...refusedRequests(tasks)],
      );
      return isGood ? goodProbe(root, asked) : spoiltProbe(root, asked, random);
    },
  };
}

function goodRequests({ completed, waiting }: KnownTasks): RestRequest[] {
  const message = V1_REQUESTS.SendMessage?.({ completed, waiting });
  return [
    { method: "POST", path: "/message:send", body: message },
    { method: "POST", path: "/acme/message:stream", body: message },
    { method: "GET", path: `/tasks/${completed}`, query: { historyLength: 2 } },
    {
      method: "GET",
      path: "/tasks",
      query: {
        pageSize: 2,
        includeArtifacts: true,
        status: "TASK_STATE_COMPLETED",
        statusTimestampAfter: "2026-01-01T00:00:00Z",
      },
    },
    { method: "GET", path: `/tasks/${waiting}:subscribe` },
    { method: "POST", path: `/tasks/${waiting}:subscribe`, body: {} },
  ];
}

function refusedRequests({ completed, waiting }: KnownTasks): RestRequest[] {
  const configs = `/tasks/${waiting}/pushNotificationConfigs`;
  return [
    { method: "POST", path: `/tasks/${completed}:cancel`, body: {} },
    { method: "POST", path: configs, body: { id: "c", url: "https://example.com/hook" } },
    { method: "GET", path: configs },
    { method: "GET", path: `${configs}/c` },
    { method: "DELETE", path: `${configs}/c` },
    { method: "GET", path: "/extendedAgentCard" },
  ];
}

function goodProbe(root: string, asked: RestRequest): Probe {
  const question = questionOf(
    root,
    asked,
    asked.body === undefined ? undefined : Buffer.from(JSON.stringify(asked.body)),
  );
  return {
    question,
    judge(answer) {
      const read = jsonOf(question, answer);
      if (!read || "fault" in read) return read?.fault ?? "nothing";
      return answer.status === 200 ? resultFault(read.json) : `a good request refused: ${answer.text}`;
    },
  };
}

function spoiltProbe(root: string, asked: RestRequest, random: Random): Probe {
  const body = asked.body === undefined ? undefined : spoilText(spoilValue(asked.body, random), random);
  const query = asked.query && random.percent(70) ? spoilQuery(asked.query, random) : asked.query;
  const path = random.percent(25) ? spoilPath(asked.path, random) : asked.path;
  const question = spoilRequest(questionOf(root, { ...asked, path, ...(query && { query }) }, body), random);
  return { question, judge: (answer) => judge(question, answer) };
}

function judge(question: HttpQuestion, answer: HttpAnswer): string | undefined {
  const read = jsonOf(question, answer);
  if (!read) return undefined;
  if ("fault" in read) return read.fault;
  if (isPortError(answer.status, read.json)) return undefined;
  if (answer.status !== 200) return restErrorFault(read.json, answer.status);
  return resultFault(read.json);
}

function questionOf(
  root: string,
  { method, path, query = {} }: RestRequest,
  body: Buffer | undefined,
): HttpQuestion {
  const search = Object.entries(query).map(([name, value]) => `${escaped(name)}=${escaped(String(value))}`);
  const whole = `${root}${path}${search.length > 0 ? `?${search.join("&")}` : ""}`;
  return { method, path: whole, headers: HEADERS, ...(body && { body }) };
}

function spoilQuery(query: object, random: Random): Record<string, unknown> {
  const name = random.pick([
    ...Object.keys(query),
    "pageToken",
    "contextId",
    "tenant",
    "__proto__",
    "page_size",
  ]);
  const value = random.percent(60)
    ? random.pick(ODD_TEXTS)
    : JSON.stringify(oddValue(random)).slice(0, 2_000);
  return Object.fromEntries([...Object.entries(query), [name, value]]);
}

function spoilPath(path: string, random: Random): string {
  const odd = random.pick([
    ...ODD_TEXTS.map(escaped),
    "//",
    "/..",
    "%2F",
    "%25",
    "%",
    "%e9",
    "%ed%a0%80",
    ":cancel",
    ";x",
  ]);
  const segments = path.split("/");
  segments[random.below(segments.length)] = odd.slice(0, 2_000);
  const spoilt = random.percent(50) ? segments.join("/") : path + odd.slice(0, 2_000);
  return spoilt.startsWith("/") ? spoilt : `/${spoilt}`;
}

// Lone surrogates have no percent escapes, and encodeURIComponent throws on them.
function escaped(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
