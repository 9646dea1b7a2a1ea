import { callIdentity, type EventOf, type RecordedSessionEvent } from "@parley/sessions";
import type { Problem } from "../../../api/problem.ts";
import type { Left } from "../../followed-run.ts";
import type { RunTeller } from "../../run-stream.ts";
import { type OpenAiError, openAiError } from "../openai-error.ts";
import type { PartOfRun } from "./part-of-run.ts";
import {
  type ItemKind,
  itemId,
  type OutputItem,
  questionId,
  type ResponseSettings,
  type ResponseStatus,
  responseHead,
} from "./response-object.ts";
import { responseUsage } from "./usage.ts";

type TextItem = Extract<OutputItem, { content: unknown }>;
type CallItem = Extract<OutputItem, { type: "mcp_call" }>;

/** An item that text goes into, with its place. */
interface OpenText {
  readonly item: TextItem;
  readonly place: number;
  readonly pieces: string[];
  /** What all of its pieces begin with as frames. */
  readonly prefix: string;
}

/**
 * A part of a run as a response: its events lead to the same frames with the same numbers each time, so that a client
 * can go on after the last one that it has. Each text of the answer is a message. One that an agent took back stays in
 * the output, incomplete and empty: the text of all messages is the answer.
 */
export class ResponseTale implements RunTeller {
  readonly #part: PartOfRun;
  readonly #head: ReturnType<typeof responseHead>;
  readonly #after: number;
  readonly #output: OutputItem[] = [];
  readonly #channels: Map<string, string>;
  readonly #texts = new Map<string, OpenText>();
  readonly #said = new Map<number, string>();
  readonly #places = new Map<string, readonly number[]>();
  readonly #calls = new Map<string, { readonly item: CallItem; readonly place: number }>();
  #question: EventOf<"approval_requested"> | undefined;
  #sequence = 0;
  #status: ResponseStatus = "in_progress";
  #error: OpenAiError | null = null;
  #usage: unknown;
  #completedAt: number | null = null;

  /** `after`: the number of the last frame that the client has. */
  constructor(part: PartOfRun, settings: ResponseSettings = {}, after = -1) {
    this.#part = part;
    this.#head = responseHead(part, settings);
    this.#channels = new Map(part.channels);
    this.#after = after;
  }

  get isOver(): boolean {
    return this.#status !== "in_progress";
  }

  /** The response as it is now. */
  get response() {
    const usage = responseUsage(this.#usage);
    const output = [...this.#output];
    for (const { item, place, pieces } of this.#texts.values())
      output[place] = withText(item, pieces.join(""));
    return {
      ...{ ...this.#head, status: this.#status, error: this.#error, completed_at: this.#completedAt },
      ...{ output, ...(usage && { usage }) },
    };
  }

  begin(): string {
    const response = this.response;
    return this.#frame("response.created", { response }) + this.#frame("response.in_progress", { response });
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
    switch (event.type) {
      case "agent_token_start":
        return this.#start(event);
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

  end(left: Left): string {
    return left === "waiting" && this.#question && !this.isOver ? this.#ask(this.#question) : "";
  }

  broken(problem: Problem): string {
    const { code, message, param } = openAiError(problem);
    // It is no part of the response, and has no number that a client could go on after.
    const body = { type: "error", sequence_number: this.#sequence, code, message, param };
    return `event: error\ndata: ${JSON.stringify(body)}\n\n`;
  }

  #start({ artifactId, channel, restart }: EventOf<"agent_token_start">): string {
    this.#channels.set(artifactId, channel);
    return restart ? this.#takeBack(artifactId) : "";
  }

  #token({ artifactId, text }: EventOf<"agent_token">): string {
    const channel = this.#channels.get(artifactId) ?? "answer";
    if (channel !== "answer" && channel !== "thinking") return "";
    const known = this.#texts.get(artifactId);
    const { open, frames } = known ? { open: known, frames: "" } : this.#open(artifactId, channel);
    open.pieces.push(text);
    const number = this.#sequence++;
    if (number <= this.#after) return frames;
    return `${frames}${open.prefix}${JSON.stringify(text)},"sequence_number":${number}}\n\n`;
  }

  #open(artifactId: string, channel: "answer" | "thinking") {
    const place = this.#output.length;
    const item: TextItem =
      channel === "answer"
        ? {
            type: "message",
            id: this.#id("msg", place),
            role: "assistant",
            status: "in_progress",
            content: [],
          }
        : { type: "reasoning", id: this.#id("rs", place), summary: [], status: "in_progress", content: [] };
    const type = channel === "answer" ? "response.output_text.delta" : "response.reasoning_text.delta";
    const more = channel === "answer" ? { logprobs: [] } : {};
    const shared = JSON.stringify({ type, item_id: item.id, output_index: place, content_index: 0, ...more });
    const prefix = `event: ${type}\ndata: ${shared.slice(0, -1)},"delta":`;
    const open = { item, place, pieces: [], prefix };
    this.#texts.set(artifactId, open);
    this.#places.set(artifactId, [...(this.#places.get(artifactId) ?? []), place]);
    const frames = this.#added(item) + this.#textPart(open, "added", "");
    return { open, frames };
  }

  /** The text is whole. */
  #end(artifactId: string, status: "completed" | "incomplete" = "completed"): string {
    const open = this.#texts.get(artifactId);
    if (!open) return "";
    this.#texts.delete(artifactId);
    const text = status === "completed" ? open.pieces.join("") : "";
    const { item, place } = open;
    const whole = withText(item, text);
    this.#output[place] = { ...whole, status };
    if (item.type === "message") this.#said.set(place, text);
    const where = { item_id: item.id, output_index: place, content_index: 0 };
    const done =
      item.type === "message"
        ? this.#frame("response.output_text.done", { ...where, text, logprobs: [] })
        : this.#frame("response.reasoning_text.done", { ...where, text });
    return done + this.#textPart(open, "done", text) + this.#done(place);
  }

  /** What was said in a text holds no more, whether it had ended or not. */
  #takeBack(artifactId: string): string {
    const frames = this.#end(artifactId, "incomplete");
    for (const place of this.#places.get(artifactId) ?? []) this.#empty(place);
    this.#places.delete(artifactId);
    return frames;
  }

  #empty(place: number): void {
    const item = this.#output[place];
    if (item?.type !== "message") return;
    this.#output[place] = { ...item, content: [], status: "incomplete" };
    this.#said.delete(place);
  }

  #textPart({ item, place }: OpenText, what: "added" | "done", text: string): string {
    const part =
      item.type === "message"
        ? { type: "output_text", text, annotations: [], logprobs: [] }
        : { type: "reasoning_text", text };
    const where = { item_id: item.id, output_index: place, content_index: 0 };
    return this.#frame(`response.content_part.${what}`, { ...where, part });
  }

  #called(event: EventOf<"agent_tool_call">): string {
    const place = this.#output.length;
    const given = JSON.stringify(event.arguments ?? {});
    const item: CallItem = {
      ...{ type: "mcp_call", id: this.#id("mcp", place), server_label: event.agent ?? this.#part.run.agent },
      ...{ name: event.tool, arguments: given, status: "in_progress", output: null, error: null },
      approval_request_id: null,
    };
    this.#calls.set(callIdentity(event), { item, place });
    const where = { item_id: item.id, output_index: place };
    return (
      this.#added({ ...item, arguments: "" }, item) +
      this.#frame("response.mcp_call.in_progress", where) +
      this.#frame("response.mcp_call_arguments.delta", { ...where, delta: given }) +
      this.#frame("response.mcp_call_arguments.done", { ...where, arguments: given })
    );
  }

  #returned(event: EventOf<"agent_tool_result">): string {
    const identity = callIdentity(event);
    const call = this.#calls.get(identity);
    if (!call) return "";
    this.#calls.delete(identity);
    const { item, place } = call;
    const said = event.text ?? (event.result === undefined ? "" : JSON.stringify(event.result));
    const hasSucceeded = event.outcome === "succeeded";
    item.status = hasSucceeded ? "completed" : "failed";
    if (hasSucceeded) item.output = said;
    else item.error = said === "" ? event.outcome : said;
    const what = hasSucceeded ? "completed" : "failed";
    return (
      this.#frame(`response.mcp_call.${what}`, { item_id: item.id, output_index: place }) + this.#done(place)
    );
  }

  /** The run waits for a person: this response ends with the question. */
  #ask(question: EventOf<"approval_requested">): string {
    this.#question = undefined;
    const { approvalId, agent, tool, arguments: given, question: words } = question;
    const item: OutputItem = {
      ...{
        type: "mcp_approval_request",
        id: questionId(this.#part.run.id, approvalId),
        server_label: agent ?? this.#part.run.agent,
      },
      // An agent may ask for words in place of a yes.
      ...{ name: tool ?? "question", arguments: JSON.stringify(tool ? (given ?? {}) : { question: words }) },
    };
    const place = this.#output.length;
    const frames = this.#closeAll() + this.#added(item) + this.#done(place);
    return frames + this.#finish("completed", "response.completed");
  }

  #complete(event: EventOf<"agent_complete"> | EventOf<"agent_cancelled">): string {
    const frames = this.#closeAll() + this.#corrected(event.content);
    if (event.type === "agent_cancelled") return frames + this.#finish("cancelled", "response.incomplete");
    this.#usage = event.usage;
    if (event.state === "completed") return frames + this.#finish("completed", "response.completed");
    const message = event.reason ?? "The agent failed";
    // Some clients read it as they read every other error.
    this.#error = { code: "server_error", message, type: "server_error", param: null };
    return frames + this.#finish("failed", "response.failed");
  }

  /** The messages say what the answer is in the end, or are replaced by one that does. */
  #corrected(content: string): string {
    const { base } = this.#part;
    const expected = content.startsWith(base) ? content.slice(base.length) : content;
    const said = this.#output.map((_, place) => this.#said.get(place) ?? "").join("");
    if (said === expected) return "";
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
      item.status = "incomplete";
      frames += this.#done(place);
    }
    this.#calls.clear();
    return frames;
  }

  #finish(status: ResponseStatus, type: string): string {
    this.#status = status;
    return this.#frame(type, { response: this.response });
  }

  #added(item: OutputItem, kept = item): string {
    this.#output.push(kept);
    return this.#frame("response.output_item.added", { output_index: this.#output.length - 1, item });
  }

  #done(place: number): string {
    return this.#frame("response.output_item.done", { output_index: place, item: this.#output[place] });
  }

  #id(kind: ItemKind, place: number): string {
    return itemId(kind, this.#part.run.id, this.#part.part, place);
  }

  #frame(type: string, body: object): string {
    const number = this.#sequence++;
    if (number <= this.#after) return "";
    return `event: ${type}\ndata: ${JSON.stringify({ type, ...body, sequence_number: number })}\n\n`;
  }
}

function withText(item: TextItem, text: string): TextItem {
  if (text === "") return { ...item, content: [] };
  return item.type === "message"
    ? { ...item, content: [{ type: "output_text", text, annotations: [], logprobs: [] }] }
    : { ...item, content: [{ type: "reasoning_text", text }] };
}
