import { SSE_DONE, sseFrame } from "@parley/a2a";
import type { ModelEvent } from "../../model.ts";

type EndEvent = Extract<ModelEvent, { type: "end" }>;

/** The offline model's answer has no time and no number, because the same request always gets the same answer. */
const head = { id: "chatcmpl-offline", created: 0, model: "parley" };
const finishReasons = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  "content-filter": "content_filter",
  other: "stop",
} as const;

/** Puts a turn's events into the chunks of a streamed chat completion, one by one. */
export class ChunkEncoder {
  readonly #withUsage: boolean;
  readonly #calls: string[] = [];

  constructor(options: { readonly withUsage: boolean }) {
    this.#withUsage = options.withUsage;
  }

  frames(event: ModelEvent): string {
    switch (event.type) {
      case "text":
        return chunk({ content: event.text });
      case "thinking":
        return chunk({ reasoning_content: event.text });
      case "tool-input":
        return `${this.#begun(event.id, event.tool)}${chunk(this.#written(event.id, event.text))}`;
      case "tool-call": {
        const { id, tool, text } = event.call;
        // What was streamed already is not said again.
        if (this.#calls.includes(id)) return "";
        return `${this.#begun(id, tool)}${chunk(this.#written(id, text))}`;
      }
      case "end": {
        const usage = this.#withUsage ? frame({ choices: [], usage: usageOf(event) }) : "";
        return `${chunk({}, finishReasons[event.reason])}${usage}${SSE_DONE}`;
      }
    }
  }

  #begun(id: string, name: string): string {
    if (this.#calls.includes(id)) return "";
    const index = this.#calls.push(id) - 1;
    return chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
  }

  #written(id: string, text: string): object {
    return { tool_calls: [{ index: this.#calls.indexOf(id), function: { arguments: text } }] };
  }
}

/** A whole turn as a chat completion that is not streamed. */
export function chatCompletion(events: readonly ModelEvent[]): object {
  const textOf = (type: "text" | "thinking") =>
    events.map((event) => (event.type === type ? event.text : "")).join("");
  const calls = events.flatMap((event) => (event.type === "tool-call" ? [event.call] : []));
  const end = events.find((event) => event.type === "end");
  const thinking = textOf("thinking");
  const message = {
    role: "assistant",
    content: textOf("text") || null,
    ...(thinking !== "" && { reasoning_content: thinking }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, tool, text }) => ({
        id,
        type: "function",
        function: { name: tool, arguments: text },
      })),
    }),
  };
  const finish = end === undefined ? "stop" : finishReasons[end.reason];
  return {
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: finish }],
    ...(end !== undefined && { usage: usageOf(end) }),
  };
}

function usageOf({ usage: { inputTokens = 0, outputTokens = 0 } }: EndEvent): object {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}

function chunk(delta: object, finish: string | null = null): string {
  return frame({ choices: [{ index: 0, delta, finish_reason: finish }] });
}

function frame(body: object): string {
  return sseFrame(JSON.stringify({ ...head, object: "chat.completion.chunk", ...body }));
}
