import type { EventOf, RecordedSessionEvent } from "@parley/sessions";
import type { RunExit } from "../../followed-run.ts";
import { questionText } from "../conversation/text-questions.ts";
import { AppendedAnswer } from "./appended-answer.ts";
import type { RunPart } from "./run-part.ts";

/** A delta of a chat completion. */
export interface Delta {
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ChatToolCall[];
}

/** A tool call that was made on our side: the client must not make it again. */
export interface ChatToolCall {
  readonly index: number;
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** How an answer ended: complete, failed, or changed after parts of it were sent. */
export type CompletionEnding =
  | { readonly kind: "complete"; readonly usage?: EventOf<"agent_complete">["usage"] }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "changed" };

/** What a client wants besides the answer. */
export interface Wanted {
  readonly reasoning: boolean;
  readonly toolCalls: boolean;
}

/**
 * Encodes a part of a run as deltas. Their content is the answer's text, followed by the question as a paragraph of
 * its own where the run waits for a person.
 */
export class ChatCompletionEncoder {
  readonly #part: RunPart;
  readonly #wanted: Wanted;
  readonly #answer: AppendedAnswer;
  readonly #reasoning = new Set<string>();
  readonly #skipped: number;
  #calls = 0;
  #held = "";
  #question: EventOf<"approval_requested"> | undefined;
  #ending: CompletionEnding = { kind: "complete" };

  constructor(part: RunPart, wanted: Wanted) {
    this.#part = part;
    this.#wanted = wanted;
    this.#answer = new AppendedAnswer(part.texts);
    const { sent } = this.#answer;
    // Text from before this part that the agent took back meanwhile is sent again.
    this.#skipped = sent.startsWith(part.base) ? part.base.length : 0;
    for (const [id, { channel }] of part.texts) if (channel === "thinking") this.#reasoning.add(id);
  }

  get ending(): CompletionEnding {
    return this.#ending;
  }

  /** The deltas so far. */
  begin(): readonly Delta[] {
    const { texts, part } = this.#part;
    const thoughts = [...texts.values()].filter(({ channel }) => channel === "thinking");
    const thought = this.#wanted.reasoning && part === 0 ? thoughts.map(({ text }) => text).join("") : "";
    return [...reasoning(thought), ...content(this.#answer.sent.slice(this.#skipped))];
  }

  event(recorded: RecordedSessionEvent): readonly Delta[] {
    const { event, index } = recorded;
    switch (event.type) {
      case "agent_token_start":
      case "agent_token":
      case "agent_token_end":
        return index <= this.#part.state.index ? [] : this.#text(recorded);
      case "agent_tool_call":
        return this.#wanted.toolCalls ? [{ tool_calls: [this.#call(event)] }] : [];
      case "approval_requested":
        if (!this.#part.state.approvals.get(event.approvalId)?.answer) this.#question ??= event;
        return [];
      case "approval_answered":
        if (this.#question?.approvalId !== event.approvalId) return [];
        this.#question = undefined;
        return this.#hold("");
      case "agent_complete":
      case "agent_cancelled":
        return this.#end(event);
      default:
        return [];
    }
  }

  /** The last deltas. */
  end(left: RunExit): readonly Delta[] {
    if (left === "ended" || !this.#question) return [];
    // The next part continues from all text before the question.
    const rest = this.#answer.finish();
    if (rest === undefined) {
      this.#ending = { kind: "changed" };
      return [];
    }
    return [...content(rest), ...content(questionText(this.#question))];
  }

  #text(recorded: RecordedSessionEvent): readonly Delta[] {
    const { event } = recorded;
    if (event.type === "agent_token_start" && event.channel === "thinking")
      this.#reasoning.add(event.artifactId);
    if (event.type === "agent_token" && this.#reasoning.has(event.artifactId))
      return this.#wanted.reasoning ? reasoning(event.text) : [];
    return this.#hold(this.#answer.accept(recorded));
  }

  /** Text after a question is held until the question is answered. */
  #hold(text: string): readonly Delta[] {
    this.#held += text;
    if (this.#question) return [];
    const said = this.#held;
    this.#held = "";
    return content(said);
  }

  #call({ callId, agent, tool, arguments: given }: EventOf<"agent_tool_call">): ChatToolCall {
    const name = agent === undefined || agent === tool ? tool : `${agent}.${tool}`;
    const call = { name, arguments: JSON.stringify(given ?? {}) };
    // Two agents may use the same id.
    return { index: this.#calls++, id: `${callId}_${this.#calls}`, type: "function", function: call };
  }

  #end(event: EventOf<"agent_complete"> | EventOf<"agent_cancelled">): readonly Delta[] {
    this.#question = undefined;
    const rest = this.#answer.finish(event.content);
    if (rest === undefined) {
      this.#ending = { kind: "changed" };
      return [];
    }
    const hasFailed = event.type === "agent_complete" && event.state === "failed";
    if (hasFailed) this.#ending = { kind: "failed", reason: event.reason ?? "The agent failed" };
    else if (event.type === "agent_complete") this.#ending = { kind: "complete", usage: event.usage };
    return this.#hold(rest);
  }
}

function content(text: string): readonly Delta[] {
  return text === "" ? [] : [{ content: text }];
}

function reasoning(text: string): readonly Delta[] {
  return text === "" ? [] : [{ reasoning_content: text }];
}
