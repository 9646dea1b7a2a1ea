import { frame, type Wire, type WireFailure, type WireTurn } from "./wire.ts";

/** The Chat Completions format that many servers share. */
export const compatibleWire: Wire = {
  name: "openai-compatible:some/model:8b",
  environment: (url, key) => ({ OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`, OPENAI_COMPATIBLE_API_KEY: key }),
  keyOf: (headers) => headers.authorization?.slice("Bearer ".length),
  frames: (turn) => [...deltas(turn).map((delta) => chunk(delta)), ...closing(turn)],
  wrongKey: (key) => failure(401, "invalid_api_key", `Incorrect API key provided: ${key}.`),
  unknownModel: failure(404, "model_not_found", "The model some/model:8b does not exist"),
  rateLimit: { ...failure(429, "rate_limit", "Slow down"), headers: { "retry-after": "7" } },
  overload: failure(503, "overloaded", "No slot is free"),
  overloadFrame: frame({ error: { message: "Overloaded", type: "overloaded_error", code: 503 } }),
};

function failure(status: number, code: string, message: string): WireFailure {
  return { status, body: { error: { message, type: "error", param: null, code } } };
}

function deltas({ thinking = [], text = [], calls = [] }: WireTurn): object[] {
  return [
    { role: "assistant", content: "" },
    ...thinking.map((piece) => ({ reasoning_content: piece })),
    ...text.map((piece) => ({ content: piece })),
    ...calls.flatMap(({ id, tool, pieces }, index) => [
      { tool_calls: [{ index, id, type: "function", function: { name: tool, arguments: "" } }] },
      ...pieces.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ];
}

function chunk(delta: object, finish: string | null = null): string {
  return frame({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
}

const head = { id: "chat_1", object: "chat.completion.chunk", created: 1, model: "some/model:8b" };

function closing({ end }: WireTurn): string[] {
  const usage = {
    prompt_tokens: 11,
    completion_tokens: 7,
    total_tokens: 18,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 2 },
  };
  return [
    chunk({}, end === "tool-calls" ? "tool_calls" : end),
    frame({ ...head, choices: [], usage }),
    "data: [DONE]\n\n",
  ];
}
