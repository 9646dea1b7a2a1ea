import { frame, type Wire, type WireFailure, type WireTurn } from "./wire.ts";

/** Anthropic's Messages API, as a server speaks it: 11 input tokens, 4 of them from the cache, 7 output tokens. */
export const anthropicWire: Wire = {
  name: "anthropic:claude-sonnet-4-5",
  environment: (url, key) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key }),
  keyOf: (headers) => headers["x-api-key"],
  frames: (turn) => [...opening(), ...blocks(turn), ...closing(turn)],
  wrongKey: () => failure(401, "authentication_error", "invalid x-api-key"),
  unknownModel: failure(404, "not_found_error", "model: claude-sonnet-4-5"),
  rateLimit: {
    ...failure(429, "rate_limit_error", "This request would exceed your limit"),
    headers: { "retry-after": "7" },
  },
  overload: failure(529, "overloaded_error", "Overloaded"),
  overloadFrame: frame(
    { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    "error",
  ),
};

function failure(status: number, type: string, message: string): WireFailure {
  return { status, body: { type: "error", error: { type, message } } };
}

function opening(): string[] {
  const usage = {
    input_tokens: 7,
    cache_read_input_tokens: 4,
    cache_creation_input_tokens: 0,
    output_tokens: 1,
  };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [],
    model: "claude-sonnet-4-5",
    stop_reason: null,
    usage,
  };
  return [named({ type: "message_start", message }), named({ type: "ping" })];
}

function blocks({ thinking = [], text = [], calls = [] }: WireTurn): string[] {
  const all = [
    ...(thinking.length > 0
      ? [
          {
            start: { type: "thinking", thinking: "", signature: "" },
            deltas: [
              ...thinking.map((piece) => ({ type: "thinking_delta", thinking: piece })),
              { type: "signature_delta", signature: "signed" },
            ],
          },
        ]
      : []),
    ...(text.length > 0
      ? [
          {
            start: { type: "text", text: "" },
            deltas: text.map((piece) => ({ type: "text_delta", text: piece })),
          },
        ]
      : []),
    ...calls.map(({ id, tool, pieces }) => ({
      start: { type: "tool_use", id, name: tool, input: {} },
      // Its first piece is always empty.
      deltas: ["", ...pieces].map((piece) => ({ type: "input_json_delta", partial_json: piece })),
    })),
  ];
  return all.flatMap(({ start, deltas }, index) => [
    named({ type: "content_block_start", index, content_block: start }),
    ...deltas.map((delta) => named({ type: "content_block_delta", index, delta })),
    named({ type: "content_block_stop", index }),
  ]);
}

function closing({ end }: WireTurn): string[] {
  const reasons = { stop: "end_turn", "tool-calls": "tool_use", length: "max_tokens" };
  return [
    named({
      type: "message_delta",
      delta: { stop_reason: reasons[end], stop_sequence: null },
      usage: { output_tokens: 7 },
    }),
    named({ type: "message_stop" }),
  ];
}

function named(data: { readonly type: string; readonly [member: string]: unknown }): string {
  return frame(data, data.type);
}
