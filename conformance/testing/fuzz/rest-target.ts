import { type FuzzTarget, httpProbe, type Probe } from "./fuzz-target.ts";
import type { HttpAnswer, HttpQuestion } from "./http-exchange.ts";
import { isPortError, jsonOf } from "./judge-answer.ts";
import { ODD_TEXTS, oddValue } from "./odd-values.ts";
import type { Random } from "./random.ts";
import type { RestForm, RestRequest } from "./rest-forms.ts";
import { resultFault } from "./result-shapes.ts";
import { spoilText, spoilValue } from "./spoil-json.ts";
import { spoilRequest } from "./spoil-request.ts";

/** REST in one version. */
export function restTarget(form: RestForm): FuzzTarget {
  const { root, good, refused } = form;
  return {
    name: `REST at ${root}`,
    probe(tasks, random) {
      const isGood = random.percent(5);
      const asked = random.pick(isGood ? good(tasks) : [...good(tasks), ...refused(tasks)]);
      return isGood ? goodProbe(form, asked) : spoiltProbe(form, asked, random);
    },
  };
}

function goodProbe(form: RestForm, asked: RestRequest): Probe {
  const body = asked.body === undefined ? undefined : Buffer.from(JSON.stringify(asked.body));
  const question = questionOf(form, asked, body);
  return httpProbe(question, (answer) => {
    const read = jsonOf(question, answer);
    if (!read || "fault" in read) return read?.fault ?? "nothing";
    return answer.status === 200 ? resultFault(read.json) : `a good request refused: ${answer.text}`;
  });
}

function spoiltProbe(form: RestForm, asked: RestRequest, random: Random): Probe {
  const body = asked.body === undefined ? undefined : spoilText(spoilValue(asked.body, random), random);
  const query = asked.query && random.percent(70) ? spoilQuery(asked.query, random) : asked.query;
  const path = random.percent(25) ? spoilPath(asked.path, random) : asked.path;
  const question = spoilRequest(questionOf(form, { ...asked, path, ...(query && { query }) }, body), random);
  return httpProbe(question, (answer) => judge(form, question, answer));
}

function judge(form: RestForm, question: HttpQuestion, answer: HttpAnswer): string | undefined {
  const read = jsonOf(question, answer);
  if (!read) return undefined;
  if ("fault" in read) return read.fault;
  if (isPortError(answer.status, read.json)) return undefined;
  if (answer.status !== 200) return form.errorFault(read.json, answer.status);
  return resultFault(read.json);
}

function questionOf(
  { root, headers }: RestForm,
  { method, path, query = {} }: RestRequest,
  body: Buffer | undefined,
): HttpQuestion {
  const search = Object.entries(query).map(([name, value]) => `${escaped(name)}=${escaped(String(value))}`);
  const whole = `${root}${path}${search.length > 0 ? `?${search.join("&")}` : ""}`;
  return { method, path: whole, headers, ...(body && { body }) };
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
