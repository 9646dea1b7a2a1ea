import { unsupported } from "../openai-error.ts";

type Body = Readonly<Record<string, unknown>>;

interface Refused {
  readonly why: string;
  /** Whether this value asks for nothing that we have not. */
  readonly allows?: (value: unknown) => boolean;
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
const isText = (value: unknown) => (value as { type?: unknown }).type === "text";
const OURS = "tools are the agents' own here, and are called on this side: leave it out";

/** What would change the answer's form or meaning, so that going without it would be a lie. */
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
  logprobs: { why: "Agents tell no probabilities: leave it out", allows: (value) => value === false },
  top_logprobs: { why: "Agents tell no probabilities: leave it out", allows: (value) => value === 0 },
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
  stop: { why: "Answers are told whole: leave it out", allows: isEmpty },
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

/** Refuses what cannot be had, and says what of the rest is not used: the header `X-Parley-Unused`. */
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

/** As headers of the answer. */
export function unusedHeader(unused: readonly string[]): Readonly<Record<string, string>> {
  return unused.length > 0 ? { "X-Parley-Unused": unused.join(", ") } : {};
}
