import { sseFrame } from "@parley/a2a";
import { callIdentity, type EventOf, type RecordedSessionEvent } from "@parley/sessions";
import type { RunExit } from "../../followed-run.ts";
import type { Problem } from "../../problem.ts";
import type { RunStreamEncoder } from "../../run-stream.ts";
import { type OpenAiError, openAiError } from "../openai-error.ts";
import { NumberedFrames, OutputText, type TextKind } from "./output-text.ts";
import {
  type CallItem,
  callItem,
  type ItemKind,
  itemId,
  type OutputItem,
  questionItem,
  type ResponseSettings,
  type ResponseStatus,
  responseHead,
  returnedCall,
} from "./response-object.ts";
import { type RunPart, RunTexts } from "./run-part.ts";
import { responseUsage } from "./usage.ts";

/**
 * Encodes a part of a run as a response: the same events give the same frames with the same numbers, so that a client
 * can resume after the last one that it has. Each text of the answer is a message. One that an agent took back stays
 * in the output, incomplete and empty: the text of all messages is the answer.
 */
export class ResponseEncoder implements RunStreamEncoder {
  readonly #part: RunPart;
  readonly #head: ReturnType<typeof responseHead>;
  readonly #frames: NumberedFrames;
  readonly #thoughts: TextKind;
  readonly #output: OutputItem[] = [];
  /** All texts of the run. */
  readonly #runTexts: RunTexts;
  readonly #texts = new Map<string, OutputText>();
  readonly #messageTexts = new Map<number, string>();
  readonly #places = new Map<string, readonly number[]>();
  readonly #calls = new Map<string, { readonly item: CallItem; readonly place: number }>();
  #question: EventOf<"approval_requested"> | undefined;
  #status: ResponseStatus = "in_progress";
  #error: OpenAiError | null = null;
  #usage: unknown;
  #completedAt: number | null = null;

  /** `after`: the number of the last frame that the client has. */
  constructor(part: RunPart, settings: ResponseSettings = {}, after = -1) {
    this.#part = part;
    this.#head = responseHead(part, settings);
    this.#runTexts = new RunTexts(part.before);
    this.#thoughts = settings.summary ? "summary" : "thought";
    this.#frames = new NumberedFrames(after);
  }

  get isOver(): boolean {
    return this.#status !== "in_progress";
  }

  get response() {
    const usage = responseUsage(this.#usage);
    const output = [...this.#output];
    for (const open of this.#texts.values()) output[open.place] = open.item(open.text, "in_progress");
    return {
      ...{ ...this.#head, status: this.#status, error: this.#error, completed_at: this.#completedAt },
      ...{ output, ...(usage && { usage }) },
    };
  }

  begin(): string {
    const response = this.response;
    return (
      this.#frames.frame("response.created", { response }) +
      this.#frames.frame("response.in_progress", { response })
    );
  }

  event(recorded: RecordedSessionEvent): string {
    if (this.isOver) return "";
    const { event, at } = recorded;
    if (this.#question) {
      const { approvalId } = this.#question;
      const isAllowed = event.type === "approval_answered" && event.approvalId === approvalId && event.always;
      if (!isAllowed) return this.#ask(this.#question);
      this.#question = undefined;
    }
    this.#runTexts.accept(event);
    switch (event.type) {
      case "agent_token_start":
        return event.restart ? this.#retract(event.artifactId) : "";
      case "agent_token":
        return this.#token(event);
      case "agent_token_end":
        return this.#end(event.artifactId);
      case "agent_tool_call":
        return this.#called(event);
      case "agent_tool_result":
        return this.#returned(event);
      case "approval_requested":
        this.#question = event;
        return "";
      case "agent_complete":
      case "agent_cancelled":
        this.#completedAt = Math.floor(at / 1_000);
        return this.#complete(event);
      default:
        return "";
    }
  }

  end(left: RunExit): string {
    return left === "waiting" && this.#question && !this.isOver ? this.#ask(this.#question) : "";
  }

  broken(problem: Problem): string {
    return responseErrorFrame(problem, this.#frames.next);
  }

  #token({ artifactId, text }: EventOf<"agent_token">): string {
    const channel = this.#runTexts.channelOf(artifactId);
    if (channel !== "answer" && channel !== "thinking") return "";
    const known = this.#texts.get(artifactId);
    const { open, frames } = known ? { open: known, frames: "" } : this.#open(artifactId, channel);
    open.pieces.push(text);
    return frames + this.#frames.delta(open, text);
  }

  #open(artifactId: string, channel: "answer" | "thinking") {
    const place = this.#output.length;
    const id = this.#id(channel === "answer" ? "msg" : "rs", place);
    const open = new OutputText(channel === "answer" ? "message" : this.#thoughts, id, place);
    this.#texts.set(artifactId, open);
    this.#places.set(artifactId, [...(this.#places.get(artifactId) ?? []), place]);
    const frames = this.#added(open.item("", "in_progress")) + this.#frames.frame(...open.part("added", ""));
    return { open, frames };
  }

  /** Completes a text. */
  #end(artifactId: string, status: "completed" | "incomplete" = "completed"): string {
    const open = this.#texts.get(artifactId);
    if (!open) return "";
    this.#texts.delete(artifactId);
    const { place, kind } = open;
    const text = status === "completed" ? open.text : "";
    this.#output[place] = open.item(text, status);
    if (kind === "message") this.#messageTexts.set(place, text);
    return (
      this.#frames.frame(...open.done(text)) +
      this.#frames.frame(...open.part("done", text)) +
      this.#done(place)
    );
  }

  /** Takes a text back, whether it had ended or not. */
  #retract(artifactId: string): string {
    const frames = this.#end(artifactId, "incomplete");
    for (const place of this.#places.get(artifactId) ?? []) this.#empty(place);
    this.#places.delete(artifactId);
    return frames;
  }

  #empty(place: number): void {
    const item = this.#output[place];
    if (item?.type !== "message") return;
    this.#output[place] = { ...item, content: [], status: "incomplete" };
    this.#messageTexts.delete(place);
  }

  #called(event: EventOf<"agent_tool_call">): string {
    const place = this.#output.length;
    const item = callItem(event, this.#id("mcp", place), this.#part.run.agent);
    this.#calls.set(callIdentity(event), { item, place });
    const where = { item_id: item.id, output_index: place };
    return (
      this.#added({ ...item, arguments: "" }, item) +
      this.#frames.frame("response.mcp_call.in_progress", where) +
      this.#frames.frame("response.mcp_call_arguments.delta", { ...where, delta: item.arguments }) +
      this.#frames.frame("response.mcp_call_arguments.done", { ...where, arguments: item.arguments })
    );
  }

  #returned(event: EventOf<"agent_tool_result">): string {
    const identity = callIdentity(event);
    const { item, place } = this.#calls.get(identity) ?? {};
    if (!item || place === undefined) return "";
    this.#calls.delete(identity);
    const returned = returnedCall(item, event);
    this.#output[place] = returned;
    const where = { item_id: item.id, output_index: place };
    return this.#frames.frame(`response.mcp_call.${returned.status}`, where) + this.#done(place);
  }

  /** The run waits for a person: this response ends with the question. */
  #ask(question: EventOf<"approval_requested">): string {
    this.#question = undefined;
    // The next part continues from all text before the question.
    const closed = this.#closeAll() + this.#corrected(this.#runTexts.answer);
    const frames = closed + this.#added(questionItem(question, this.#part.run.agent));
    return frames + this.#done(this.#output.length - 1) + this.#finish("completed", "response.completed");
  }

  #complete(event: EventOf<"agent_complete"> | EventOf<"agent_cancelled">): string {
    const frames = this.#closeAll() + this.#corrected(event.content);
    if (event.type === "agent_cancelled") return frames + this.#finish("cancelled", "response.incomplete");
    this.#usage = event.usage;
    if (event.state === "completed") return frames + this.#finish("completed", "response.completed");
    const message = event.reason ?? "The agent failed";
    // Some clients parse it as any other error.
    this.#error = { code: "server_error", message, type: "server_error", param: null };
    return frames + this.#finish("failed", "response.failed");
  }

  /** Replaces the messages by one where they differ from the final answer. */
  #corrected(content: string): string {
    const { base } = this.#part;
    const expected = content.startsWith(base) ? content.slice(base.length) : content;
    const sent = this.#output.map((_, place) => this.#messageTexts.get(place) ?? "").join("");
    if (sent === expected) return "";
    for (const place of this.#output.keys()) this.#empty(place);
    if (expected === "") return "";
    const artifactId = "the answer as it is";
    return (
      this.#token({ type: "agent_token", runId: "", artifactId, text: expected }) + this.#end(artifactId)
    );
  }

  #closeAll(): string {
    let frames = "";
    for (const artifactId of [...this.#texts.keys()]) frames += this.#end(artifactId);
    for (const { item, place } of this.#calls.values()) {
      this.#output[place] = { ...item, status: "incomplete" };
      frames += this.#done(place);
    }
    this.#calls.clear();
    return frames;
  }

  #finish(status: ResponseStatus, type: string): string {
    this.#status = status;
    return this.#frames.frame(type, { response: this.response });
  }

  #added(item: OutputItem, kept = item): string {
    this.#output.push(kept);
    return this.#frames.frame("response.output_item.added", { output_index: this.#output.length - 1, item });
  }

  #done(place: number): string {
    return this.#frames.frame("response.output_item.done", {
      output_index: place,
      item: this.#output[place],
    });
  }

  #id(kind: ItemKind, place: number): string {
    return itemId(kind, this.#part.run.id, this.#part.part, place);
  }
}

/** The last frame of a broken response; clients cannot resume after its number. */
export function responseErrorFrame(problem: Problem, next: number): string {
  const { code, message, param } = openAiError(problem);
  const body = { type: "error", sequence_number: next, code, message, param };
  return sseFrame(JSON.stringify(body), { event: body.type });
}
