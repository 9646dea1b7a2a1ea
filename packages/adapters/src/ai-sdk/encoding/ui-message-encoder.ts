import { SSE_DONE } from "@parley/a2a";
import type { EventOf, RecordedSessionEvent, SessionEvent } from "@parley/sessions";
import type { RunExit } from "../../followed-run.ts";
import type { Problem } from "../../problem.ts";
import type { RunStreamEncoder } from "../../run-stream.ts";
import { fileChunks } from "../ui-files.ts";
import { AnswerText, ReasoningParts, reasoningFrames } from "./text-parts.ts";
import {
  answerChunk,
  isPending,
  lastOutcome,
  outcomeChunks,
  outcomeOf,
  type ToolPart,
  ToolParts,
  toolChunks,
} from "./tool-parts.ts";
import { chunkFrame, type UiChunk, type UiMetadata } from "./ui-chunk.ts";

/** A run, and the message that it is encoded as. */
export interface MessageRun {
  readonly sessionId: string;
  readonly runId: string;
  readonly agent: string;
  readonly messageId: string;
  /** The message that was just sent, which the client has. */
  readonly asked?: string | undefined;
}

/** Writes a part again after its step was reset. */
type Work = () => string;

/**
 * A run as one message of the AI SDK's. The answer is its text, and that alone; everything else is in other parts.
 *
 * A client can take back only what came after the last `start-step`. So the answer is always in the last step: where
 * some of it is taken back, or the run waits for a person, that step is reset, its other parts come again in a step of
 * their own, and the answer after that. While a run waits, its last step holds the answer and what is asked, and no
 * more: `lastAssistantMessageIsCompleteWithApprovalResponses` looks at nothing else.
 */
export class UiMessageEncoder implements RunStreamEncoder {
  readonly #run: MessageRun;
  readonly #answer = new AnswerText();
  readonly #reasoning = new ReasoningParts((part) => this.#work.set(part, () => reasoningFrames(part)));
  readonly #tools = new ToolParts();
  readonly #channels = new Map<string, EventOf<"agent_token_start">["channel"]>();
  readonly #data = new Map<string, UiChunk>();
  readonly #files = new Set<string>();
  /** The last step's parts besides the answer and open questions, in order. */
  #work = new Map<unknown, Work>();
  #seen = 0;
  #goesOn = false;
  #before = "";
  #runId: string;
  #ended: EventOf<"agent_complete"> | EventOf<"agent_cancelled"> | undefined;

  constructor(run: MessageRun) {
    this.#run = run;
    this.#runId = run.runId;
  }

  /**
   * Restores what the client has of the message, which then goes on. What the client received beyond that (`hasMore`)
   * is taken back first.
   */
  restore(events: readonly RecordedSessionEvent[], { hasMore = false } = {}): void {
    for (const event of events) this.event(event);
    this.end("waiting");
    this.#goesOn = true;
    if (hasMore) this.#before = this.#again() + this.#closed();
  }

  /** Events from before the stream, to be sent first. */
  prepend(events: readonly RecordedSessionEvent[]): void {
    for (const event of events) this.#before += this.event(event);
  }

  begin(): string {
    const { sessionId: session, runId: run, agent, messageId } = this.#run;
    const messageMetadata: UiMetadata = { session, run, agent, status: "running" };
    const start = chunkFrame({ type: "start", messageId, messageMetadata });
    return start + (this.#goesOn ? "" : chunkFrame({ type: "start-step" })) + this.#before;
  }

  event({ index, event }: RecordedSessionEvent): string {
    this.#seen = index;
    return this.#encode(event);
  }

  end(left: RunExit): string {
    if (left === "waiting") return this.#wait();
    const ended = this.#ended;
    let frames = "";
    for (const part of this.#tools.all) frames += this.#over(part);
    if (ended && this.#answer.text !== ended.content) {
      this.#answer.becomes(ended.content);
      frames += this.#again();
    }
    frames += this.#closed();
    const usage = ended?.type === "agent_complete" && ended.usage ? { usage: ended.usage } : {};
    const status = ended?.type === "agent_complete" ? ended.state : "cancelled";
    const messageMetadata: UiMetadata = { run: this.#runId, status, seen: this.#seen, ...usage };
    return frames + chunkFrame({ type: "finish-step" }) + this.#lastChunks(messageMetadata) + SSE_DONE;
  }

  broken({ message }: Problem): string {
    return chunkFrame({ type: "error", errorText: message }) + SSE_DONE;
  }

  #encode(event: SessionEvent): string {
    switch (event.type) {
      case "agent_token":
        return this.#isAnswer(event.artifactId)
          ? this.#answer.more(event.artifactId, event.text)
          : this.#reasoning.more(event.artifactId, event.text);
      case "agent_start":
        return this.#next(event);
      case "agent_token_start":
        return this.#begun(event);
      case "agent_token_end":
        return this.#reasoning.end(event.artifactId);
      case "agent_status": {
        const { state, text, agent } = event;
        return this.#shown("data-status", "status", { state, text, agent });
      }
      case "agent_plan":
        return this.#shown("data-plan", "plan", { steps: event.steps });
      case "agent_tool_call": {
        const part = this.#tools.calls(event);
        return part ? this.#tool(part) : "";
      }
      case "agent_tool_result": {
        const { part, isNew } = this.#tools.ended(event);
        const begun = isNew ? this.#tool(part) : "";
        return part.outcome === "denied" ? begun : begun + this.#settled(part, outcomeOf(event));
      }
      case "agent_artifact":
        return this.#artifact(event);
      case "approval_requested":
        return this.#tool(this.#tools.asks(event));
      case "approval_answered":
        return this.#answered(event);
      case "user_message":
        return this.#steered(event);
      case "agent_complete":
      case "agent_cancelled":
        this.#ended = event;
        return "";
      default:
        return "";
    }
  }

  // Text without a start event belongs to the answer.
  #isAnswer(artifactId: string): boolean {
    return (this.#channels.get(artifactId) ?? "answer") === "answer";
  }

  // The message came too late for the run before: this run answers it.
  #next({ runId }: EventOf<"agent_start">): string {
    if (!this.#ended) return "";
    this.#ended = undefined;
    this.#runId = runId;
    if (this.#answer.text === "") return "";
    this.#answer.becomes("");
    return this.#again();
  }

  #begun(event: EventOf<"agent_token_start">): string {
    const { artifactId, channel, restart } = event;
    this.#channels.set(artifactId, channel);
    if (channel !== "answer") return this.#reasoning.begin(event);
    if (!restart || !this.#answer.has(artifactId)) return "";
    this.#answer.takeBack(artifactId);
    return this.#again();
  }

  #shown(type: `data-${string}`, id: string, data: unknown): string {
    const name = `${type} ${id}`;
    const isKnown = this.#data.has(name);
    const chunk: UiChunk = { type, id, data };
    this.#data.set(name, chunk);
    // A part that the client has changes in place, in whichever step it is.
    if (!isKnown) this.#work.set(name, () => chunkFrame(this.#data.get(name) ?? chunk));
    return chunkFrame(chunk);
  }

  #tool(part: ToolPart): string {
    const frames = () => framesOf(toolChunks(part));
    this.#work.set(part, frames);
    return frames();
  }

  #settled(part: ToolPart, outcome: NonNullable<ToolPart["outcome"]>): string {
    part.outcome = outcome;
    return framesOf(outcomeChunks(part));
  }

  /** Settles a part that the run ended without. */
  #over(part: ToolPart): string {
    if (part.outcome) return "";
    if (!isPending(part)) return this.#settled(part, lastOutcome(part));
    const text = "The run ended before this was answered";
    // Clients keep no output of a call that was not approved.
    return this.#answered({
      ...{ type: "approval_answered", runId: this.#runId, approvalId: part.id, decision: "denied", text },
    });
  }

  #answered(event: EventOf<"approval_answered">): string {
    const part = this.#tools.get(event.approvalId);
    if (!part || part.answer || part.outcome) return "";
    part.answer = event;
    const answer = chunkFrame(answerChunk(part, event));
    if (event.decision === "denied") return answer + this.#settled(part, "denied");
    // Words about a tool go to the agent, which then may or may not call it.
    return event.decision === "answered" && part.asked?.tool === undefined
      ? answer + this.#settled(part, { output: event.text ?? null })
      : answer;
  }

  #artifact(event: EventOf<"agent_artifact">): string {
    const { artifactId, name, agent, parts } = event;
    let frames = "";
    for (const file of fileChunks(parts)) {
      if (this.#files.has(file.url)) continue;
      this.#files.add(file.url);
      this.#work.set(file.url, () => chunkFrame(file));
      frames += chunkFrame(file);
    }
    return frames + this.#shown("data-artifact", artifactId, { name, agent, parts });
  }

  #steered({ messageId, content }: EventOf<"user_message">): string {
    if (messageId === this.#run.asked) return "";
    const frame = chunkFrame({
      ...{ type: "steering-message", id: messageId, parts: [{ type: "text", text: content }] },
    });
    this.#work.set(messageId, () => frame);
    return frame;
  }

  #wait(): string {
    const isAlone = [...this.#work.keys()].every((part) => this.#isAsked(part));
    // `restore` does not know where the run waited before: what the client has must follow from the events alone.
    const frames = (isAlone && !this.#answer.isSplit ? "" : this.#again()) + this.#closed();
    const messageMetadata: UiMetadata = { status: "waiting", seen: this.#seen };
    const finish = chunkFrame({ type: "finish", finishReason: "tool-calls", messageMetadata });
    return frames + chunkFrame({ type: "finish-step" }) + finish + SSE_DONE;
  }

  /** Resets the last step: its other parts become a step of their own, followed by the answer and open questions. */
  #again(): string {
    const others = [...this.#work].filter(([part]) => !this.#isAsked(part));
    const asked = [...this.#work].filter(([part]) => this.#isAsked(part));
    // Resetting a step also forgets the open parts of earlier ones.
    let frames = this.#reasoning.close((part) => !this.#work.has(part)) + chunkFrame({ type: "reset-step" });
    for (const [, again] of others) frames += again();
    if (others.length > 0) frames += chunkFrame({ type: "start-step" });
    frames += this.#answer.again();
    for (const [, again] of asked) frames += again();
    this.#work = new Map(asked);
    return frames;
  }

  #isAsked(part: unknown): boolean {
    return typeof part === "object" && part !== null && "asked" in part && isPending(part as ToolPart);
  }

  #closed(): string {
    return this.#answer.close() + this.#reasoning.close();
  }

  #lastChunks(messageMetadata: UiMetadata): string {
    const ended = this.#ended;
    const about = chunkFrame({ type: "message-metadata", messageMetadata });
    // A client that gets an error reads no further.
    if (ended?.type === "agent_cancelled") return about + chunkFrame({ type: "abort", reason: ended.reason });
    if (ended?.state === "failed")
      return about + chunkFrame({ type: "error", errorText: ended.reason ?? "The agent failed" });
    return chunkFrame({ type: "finish", finishReason: "stop", messageMetadata });
  }
}

function framesOf(chunks: Iterable<UiChunk>): string {
  let frames = "";
  for (const chunk of chunks) frames += chunkFrame(chunk);
  return frames;
}
