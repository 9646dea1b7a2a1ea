import { SSE_DONE, sseFrame } from "@parley/a2a";
import type { RecordedSessionEvent } from "@parley/sessions";
import type { RunExit } from "../../followed-run.ts";
import type { Problem } from "../../problem.ts";
import type { RunStreamEncoder } from "../../run-stream.ts";
import { OpenAiProblem, openAiError } from "../openai-error.ts";
import { ChatCompletionEncoder, type Delta, type Wanted } from "./chat-completion-encoder.ts";
import type { RunPart } from "./run-part.ts";
import { chatUsage } from "./usage.ts";

/** The protocol requires usage, also where it is unknown. */
const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** The fields that all chunks of a completion share. */
export interface ChatHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

export interface ChatStreamOptions extends Wanted {
  readonly model: string;
  readonly usage: boolean;
}

/** Encodes a run as chunks of a chat completion. */
export class ChatStreamEncoder implements RunStreamEncoder {
  readonly #options: ChatStreamOptions;
  #encoder: ChatCompletionEncoder | undefined;
  #chunks: ChatChunks | undefined;
  /** Whether all of it was sent. */
  isComplete = false;

  constructor(options: ChatStreamOptions) {
    this.#options = options;
  }

  /** Sets the part of the run, once it is known. */
  opened(part: RunPart): void {
    const { model, usage } = this.#options;
    this.#encoder = new ChatCompletionEncoder(part, this.#options);
    this.#chunks = new ChatChunks(chatHead(part, model), usage);
  }

  begin(): string {
    return (this.#chunks?.first() ?? "") + this.#frames(this.#encoder?.begin());
  }

  event(recorded: RecordedSessionEvent): string {
    return this.#frames(this.#encoder?.event(recorded));
  }

  end(left: RunExit): string {
    const frames = this.#frames(this.#encoder?.end(left));
    const ending = this.#encoder?.ending ?? { kind: "complete" };
    this.isComplete = ending.kind !== "changed";
    if (ending.kind !== "complete") return frames + errorFrame(endingProblem(ending)) + SSE_DONE;
    return frames + (this.#chunks?.last(ending.usage) ?? "") + SSE_DONE;
  }

  broken(problem: Problem): string {
    return errorFrame(problem);
  }

  #frames(deltas: readonly Delta[] = []): string {
    let frames = "";
    for (const delta of deltas) frames += this.#chunks?.delta(delta) ?? "";
    return frames;
  }
}

/** Writes the frames of one completion; the fields that they share are serialised once. */
export class ChatChunks {
  readonly #head: string;
  readonly #usage: boolean;

  constructor({ id, created, model }: ChatHead, usage: boolean) {
    const head = JSON.stringify({ id, object: "chat.completion.chunk", created, model });
    this.#head = `${head.slice(0, -1)},"choices":`;
    this.#usage = usage;
  }

  first(): string {
    return this.delta({ role: "assistant", content: "" });
  }

  delta(delta: Delta & { readonly role?: "assistant" }): string {
    return this.#chunk(`[{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":null}]`);
  }

  last(usage: unknown): string {
    const stop = this.#chunk('[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]');
    if (!this.#usage) return stop;
    return stop + sseFrame(`${this.#head}[],"usage":${JSON.stringify(chatUsage(usage) ?? NO_USAGE)}}`);
  }

  #chunk(choices: string): string {
    return sseFrame(`${this.#head}${choices}${this.#usage ? ',"usage":null' : ""}}`);
  }
}

/** The shared fields for this part of a run. */
export function chatHead({ run, part, createdAt }: RunPart, model: string): ChatHead {
  return { id: `chatcmpl-${run.id}${part === 0 ? "" : `-${part}`}`, created: createdAt, model };
}

/** Why there is no complete answer. */
export function endingProblem(ending: { kind: "failed"; reason: string } | { kind: "changed" }): Problem {
  if (ending.kind === "failed") return new OpenAiProblem("internal", ending.reason, { code: "run_failed" });
  const why =
    "The agent took back text that you have received: ask the same again for the answer as it is now";
  return new OpenAiProblem("unavailable", why, { code: "answer_changed" });
}

function errorFrame(problem: Problem): string {
  return sseFrame(JSON.stringify({ error: openAiError(problem) }));
}
