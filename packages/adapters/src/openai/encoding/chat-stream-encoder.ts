import { SSE_DONE, sseFrame } from "@parley/a2a";
import type { RecordedSessionEvent } from "@parley/sessions";
import type { RunExit } from "../../followed-run.ts";
import type { Problem } from "../../problem.ts";
import type { RunStreamEncoder } from "../../run-stream.ts";
import { OpenAiProblem, openAiError } from "../openai-error.ts";
import { ChatCompletionEncoder, type Delta, type Wanted } from "./chat-completion-encoder.ts";
import type { RunPart } from "./run-part.ts";
import { chatUsage } from "./usage.ts";

/** What the protocol demands where nobody knows better. */
const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** What a completion says of itself in each of its chunks. */
export interface ChatHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

/** What a client wants of a stream. */
export interface ChatStreamOptions extends Wanted {
  readonly model: string;
  readonly usage: boolean;
}

/** A run as chunks of a chat completion. */
export class ChatStreamEncoder implements RunStreamEncoder {
  readonly #options: ChatStreamOptions;
  #encoder: ChatCompletionEncoder | undefined;
  #chunks: ChatChunks | undefined;
  /** Whether all of it was sent. */
  isTold = false;

  constructor(options: ChatStreamOptions) {
    this.#options = options;
  }

  /** What it is about, once that is known. */
  opened(part: RunPart): void {
    const { model, usage } = this.#options;
    this.#encoder = new ChatCompletionEncoder(part, this.#options);
    this.#chunks = new ChatChunks(chatHead(part, model), usage);
  }

  begin(): string {
    return (this.#chunks?.first() ?? "") + this.#told(this.#encoder?.begin());
  }

  event(recorded: RecordedSessionEvent): string {
    return this.#told(this.#encoder?.event(recorded));
  }

  end(left: RunExit): string {
    const told = this.#told(this.#encoder?.end(left));
    const ending = this.#encoder?.ending ?? { kind: "said" };
    this.isTold = ending.kind !== "changed";
    if (ending.kind !== "said") return told + errorFrame(endingProblem(ending)) + SSE_DONE;
    return told + (this.#chunks?.last(ending.usage) ?? "") + SSE_DONE;
  }

  broken(problem: Problem): string {
    return errorFrame(problem);
  }

  #told(deltas: readonly Delta[] = []): string {
    let frames = "";
    for (const delta of deltas) frames += this.#chunks?.delta(delta) ?? "";
    return frames;
  }
}

/** The frames of one completion: what they share is written once. */
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

/** What a completion of this part of a run says of itself. */
export function chatHead({ run, part, createdAt }: RunPart, model: string): ChatHead {
  return { id: `chatcmpl-${run.id}${part === 0 ? "" : `-${part}`}`, created: createdAt, model };
}

/** Why there is no whole answer. */
export function endingProblem(ending: { kind: "failed"; reason: string } | { kind: "changed" }): Problem {
  if (ending.kind === "failed") return new OpenAiProblem("internal", ending.reason, { code: "run_failed" });
  const why =
    "The agent took back what you were told of its answer: ask the same again for the answer as it is now";
  return new OpenAiProblem("unavailable", why, { code: "answer_changed" });
}

function errorFrame(problem: Problem): string {
  return sseFrame(JSON.stringify({ error: openAiError(problem) }));
}
