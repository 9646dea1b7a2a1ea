import type { Context } from "hono";
import type { z } from "zod";
import type { AdapterEnvironment, AdapterHost } from "../../adapter-host.ts";
import { conversationName, namedSession } from "../../conversations/named-session.ts";
import { cancelsOnDisconnect } from "../../disconnect.ts";
import { jsonOf } from "../../json-body.ts";
import { issueCode } from "../../problem.ts";
import { invalidParam, OpenAiProblem, unsupported } from "../openai-error.ts";

type Body = Readonly<Record<string, unknown>>;

interface Refused {
  readonly why: string;
  /** Whether this value is supported all the same. */
  readonly allows?: (value: unknown) => boolean;
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
const isText = (value: unknown) => (value as { type?: unknown }).type === "text";
const OURS = "tools are the agents' own here, and are called on this side: leave it out";

/** Options that would change the answer's form or meaning, so that they cannot be ignored. */
const REFUSED: Readonly<Record<string, Refused>> = {
  tools: { why: `Clients' tools cannot be called: ${OURS}`, allows: isEmpty },
  functions: { why: `Clients' functions cannot be called: ${OURS}`, allows: isEmpty },
  tool_choice: {
    why: `A tool cannot be chosen: ${OURS}`,
    allows: (value) => value === "auto" || value === "none",
  },
  function_call: {
    why: `A function cannot be chosen: ${OURS}`,
    allows: (value) => value === "auto" || value === "none",
  },
  n: { why: "There is one answer to a request: leave n out, or ask again", allows: (value) => value === 1 },
  best_of: { why: "There is one answer to a request: leave it out", allows: (value) => value === 1 },
  logprobs: { why: "Agents report no probabilities: leave it out", allows: (value) => value === false },
  top_logprobs: { why: "Agents report no probabilities: leave it out", allows: (value) => value === 0 },
  audio: { why: "Answers are text: leave it out" },
  modalities: {
    why: "Answers are text",
    allows: (value) => Array.isArray(value) && value.every((each) => each === "text"),
  },
  response_format: {
    why: "Answers are text that agents write freely: ask for JSON in words",
    allows: isText,
  },
  text: {
    why: "Answers are text that agents write freely: ask for JSON in words",
    allows: (value) => {
      const { format } = value as { format?: unknown };
      return format === undefined || format === null || isText(format);
    },
  },
  stop: { why: "Answers are sent whole: leave it out", allows: isEmpty },
  prediction: { why: "Predicted outputs are not known here: leave it out" },
  web_search_options: { why: "Agents search by themselves: ask for it in words" },
  prompt: { why: "There are no stored prompts here: send what it says" },
};

/** What each endpoint uses; everything else is reported as unused. */
const USED = {
  chat: ["model", "messages", "stream", "stream_options", "reasoning_effort"],
  responses: [
    ...["model", "input", "stream", "stream_options", "reasoning", "instructions", "background"],
    ...["previous_response_id", "conversation", "metadata"],
  ],
};

/** Refuses unsupported options, and returns the names of unused ones. */
export function unusedOptions(kind: keyof typeof USED, body: Body): readonly string[] {
  const given = Object.entries(body).filter(([, value]) => value !== undefined && value !== null);
  for (const [name, value] of given) {
    const refused = REFUSED[name];
    if (refused && !refused.allows?.(value)) throw unsupported(name, refused.why);
  }
  const names = given.map(([name]) => name).filter((name) => !REFUSED[name] && !USED[kind].includes(name));
  const aboutText = Object.keys(Object(body.text)).filter((name) => name !== "format");
  names.push(...aboutText.map((name) => `text.${name}`));
  // It goes into a header.
  return names.filter((name) => /^[\w.-]{1,60}$/.test(name)).slice(0, 40);
}

/** The header `X-Parley-Unused`. */
export function unusedHeader(unused: readonly string[]): Readonly<Record<string, string>> {
  return unused.length > 0 ? { "X-Parley-Unused": unused.join(", ") } : {};
}

/** The checked body; an error names the invalid field. */
export async function openAiBody<Schema extends z.ZodType>(
  context: Context<AdapterEnvironment>,
  schema: Schema,
): Promise<z.output<Schema>> {
  const { data, error } = schema.safeParse(await jsonOf(context));
  if (!error) return data;
  const { path, message } = deepest(error.issues[0]);
  const param = path.join(".");
  const code = issueCode(error.issues[0]);
  throw new OpenAiProblem(code, param === "" ? message : `${param}: ${message}`, {
    ...(param !== "" && { param }),
    code: code === "too_large" ? "array_above_max_length" : "invalid_value",
  });
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Of a union, the issue of the option that comes closest; where none does, the union's own. */
function deepest(issue: z.core.$ZodIssue | undefined): { readonly path: string[]; readonly message: string } {
  if (!issue) return { path: [], message: "The body is invalid" };
  const options: Issue[] =
    issue.code === "invalid_union" ? issue.errors.filter(isMeant).flat().map(deepest) : [];
  const best = options.toSorted((left, right) => right.path.length - left.path.length)[0];
  const path = [...issue.path, ...(best && best.path.length > 0 ? best.path : [])].map(String);
  return { path, message: best && best.path.length > 0 ? best.message : issue.message };
}

/** Whether the client means this option of a union: its type is not another one. */
function isMeant(issues: readonly z.core.$ZodIssue[]): boolean {
  return !issues.some(
    ({ code, path }) => code === "invalid_value" && path.length === 1 && path[0] === "type",
  );
}

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/;

/** The headers of a request. */
export interface RequestHeaders {
  readonly key: string | undefined;
  /** Whether the SDK sends the request again. */
  readonly isRepeated: boolean;
  /** The session that the client names. */
  readonly sessionId: string | undefined;
  /** Whether chat completions include tool calls. */
  readonly toolCalls: boolean;
}

/** Reads and checks the headers; call it before anything is done. */
export async function requestHeaders(
  { sessions }: Pick<AdapterHost, "sessions">,
  context: Context<AdapterEnvironment>,
): Promise<RequestHeaders> {
  const { req } = context;
  cancelsOnDisconnect(context);
  const key = req.header("Idempotency-Key");
  if (key !== undefined && !KEY.test(key))
    throw invalidParam("Idempotency-Key", "must have 1 to 200 printable characters");
  const session = conversationName.optional().safeParse(req.header("X-Session-Id") || undefined);
  if (!session.success) throw invalidParam("X-Session-Id", "must have up to 500 characters");
  const toolCalls = req.header("X-Parley-Tool-Calls")?.toLowerCase();
  if (toolCalls !== undefined && toolCalls !== "include" && toolCalls !== "omit")
    throw invalidParam("X-Parley-Tool-Calls", "must be include or omit");
  return {
    key,
    isRepeated: Number(req.header("X-Stainless-Retry-Count") ?? 0) > 0,
    sessionId: session.data && (await namedSession(sessions, context.var.principal, session.data)),
    toolCalls: toolCalls === "include",
  };
}
