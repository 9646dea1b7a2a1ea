import { frame, type Wire, type WireFailure, type WireTurn } from "./wire.ts";

/** OpenAI's Responses API, as a server speaks it. */
export const openaiWire: Wire = {
  name: "openai:gpt-5-mini",
  environment: (url, key) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key }),
  keyOf: (headers) => headers.authorization?.slice("Bearer ".length),
  frames: (turn) => [
    frame({ type: "response.created", response: { id: "resp_1", created_at: 1, model: "gpt-5-mini" } }),
    ...items(turn),
    closing(turn),
  ],
  wrongKey: (key) => failure(401, "invalid_api_key", `Incorrect API key provided: ${key}.`),
  unknownModel: failure(404, "model_not_found", "The model does not exist or you do not have access to it."),
  rateLimit: {
    ...failure(429, "rate_limit_exceeded", "Rate limit reached"),
    headers: { "retry-after": "7" },
  },
  overload: failure(503, "server_error", "The engine is overloaded"),
  overloadFrame: frame({
    type: "error",
    sequence_number: 3,
    error: { type: "server_error", code: "rate_limit_exceeded", message: "Overloaded", param: null },
  }),
};

function failure(status: number, code: string, message: string): WireFailure {
  return { status, body: { error: { message, type: "invalid_request_error", param: null, code } } };
}

function items({ thinking = [], text = [], calls = [] }: WireTurn): string[] {
  const all = [
    ...(thinking.length > 0 ? [reasoning(thinking)] : []),
    ...(text.length > 0 ? [message(text)] : []),
    ...calls.map((call) => ({
      id: `fc_${call.id}`,
      item: { type: "function_call", call_id: call.id, name: call.tool, arguments: "" },
      deltas: call.pieces.map((delta) => ({ type: "response.function_call_arguments.delta", delta })),
      done: { arguments: call.pieces.join(""), status: "completed" },
    })),
  ];
  return all.flatMap(({ id, item, deltas, done }, index) => [
    frame({ type: "response.output_item.added", output_index: index, item: { id, ...item } }),
    ...deltas.map((delta) => frame({ item_id: id, output_index: index, ...delta })),
    frame({ type: "response.output_item.done", output_index: index, item: { id, ...item, ...done } }),
  ]);
}

function reasoning(pieces: readonly string[]) {
  return {
    id: "rs_1",
    item: { type: "reasoning", encrypted_content: "sealed", summary: [] as unknown[] },
    deltas: [
      { type: "response.reasoning_summary_part.added", summary_index: 0 },
      ...pieces.map((delta) => ({ type: "response.reasoning_summary_text.delta", summary_index: 0, delta })),
    ],
    done: { summary: [{ type: "summary_text", text: pieces.join("") }] },
  };
}

function message(pieces: readonly string[]) {
  return {
    id: "msg_1",
    item: { type: "message", role: "assistant", content: [] as unknown[] },
    deltas: pieces.map((delta) => ({ type: "response.output_text.delta", delta, content_index: 0 })),
    done: { content: [{ type: "output_text", text: pieces.join(""), annotations: [] }] },
  };
}

function closing({ end }: WireTurn): string {
  const usage = {
    input_tokens: 11,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 2 },
  };
  return end === "length"
    ? frame({
        type: "response.incomplete",
        response: { incomplete_details: { reason: "max_output_tokens" }, usage },
      })
    : frame({ type: "response.completed", response: { incomplete_details: null, usage } });
}
