import { sseFrame } from "@parley/a2a";
import type { EventOf, RecordedSessionEvent } from "@parley/sessions";
import type { RunExit } from "../followed-run.ts";
import type { Problem } from "../problem.ts";
import type { RunStreamEncoder } from "../run-stream.ts";
import { approvalForm } from "./approval-form.ts";
import { approvalRequestId, type CallPlace, eventIdOf } from "./call-tokens.ts";
import { isStateless, type McpClient } from "./mcp-caller.ts";
import { errorMember, mcpErrorOf } from "./mcp-error.ts";
import { inputRequired, stampedResult } from "./mcp-results.ts";
import { runAnswer } from "./run-answer.ts";
import { RunProgress } from "./run-progress.ts";

/** The interval between progress reports about text, in milliseconds by the events' own times; everything else is reported at once. */
const NEWS_EVERY_MS = 250;
/** From this revision on an event may have an id and no message, and a stream may end before its answer. */
const FIRST_WITH_EMPTY_EVENTS = "2025-11-25";
const FIRST_WITH_LINKS = "2025-06-18";

/** The run of a call, and its client. */
export interface CallContext {
  readonly place: CallPlace;
  /** The message that the call is about, if it does not only watch. */
  readonly messageId?: string | undefined;
  readonly client: McpClient;
  /** Where people find the session. */
  readonly page: string;
  /** Whether a question has its answer already, so that nobody is asked again. */
  readonly isAnswered: (approvalId: string) => boolean;
  /** So long it waits for who was asked. */
  readonly questionMs: number;
}

/**
 * A run as the answer to `tools/call`: how far it has come, questions to the client's user where it can ask them, and
 * the result. Made of the run's events alone, so that any node tells the same, from any place on.
 */
export class CallEncoder implements RunStreamEncoder {
  readonly #call: CallContext;
  readonly #encoder = new RunProgress();
  /** The questions that the client's user was asked, and that nobody has answered. */
  readonly #asked = new Set<string>();
  readonly #enough = new AbortController();
  #patience: NodeJS.Timeout | undefined;
  #told = { at: 0, state: "" };
  #isOver = false;

  constructor(call: CallContext) {
    this.#call = call;
  }

  /** Whether the client has been sent everything that this stream sends. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Some clients say that they can ask, and show nothing: then the call ends with what is asked, and where it can be
   * answered. A form that is shown after all can still be.
   */
  get enough(): AbortSignal {
    return this.#enough.signal;
  }

  begin(): string {
    return this.#comesAgain ? sseFrame("", { id: eventIdOf(this.#call.place) }) : "";
  }

  event(recorded: RecordedSessionEvent): string {
    this.#encoder.see(recorded);
    // One frame with an id at most, since the place that it names is that of the event. What was told already is made
    // again all the same: when the next is due depends on it.
    const told = this.#withdrawn(recorded) + (this.#question(recorded) || this.#progress(recorded));
    return recorded.index <= this.#call.place.told ? "" : told;
  }

  end(left: RunExit): string {
    this.#over();
    const { client, page, place, messageId } = this.#call;
    const { sessionId, requestId: id } = place;
    if (left === "waiting" && client.elicits && isStateless(client)) {
      const forms = this.#encoder.questions.map(
        (asked) => [asked.approvalId, approvalForm(asked, page)] as const,
      );
      return frame({ id, result: inputRequired(forms, { ...place, messageId }) });
    }
    const takesLinks = client.version >= FIRST_WITH_LINKS;
    const put = left === "ended" ? [...this.#asked].map((one) => this.#withdrawal(one)).join("") : "";
    const runId = this.#encoder.end?.runId ?? place.runId;
    const answer = runAnswer(this.#encoder, { sessionId, runId, page, takesLinks });
    return put + frame({ id, result: stampedResult(client, "tools/call", answer) });
  }

  broken(problem: Problem): string {
    this.#over();
    if (problem.code === "unavailable" && this.#comesAgain) return "";
    const { requestId: id, sessionId } = this.#call.place;
    const { code, message, data } = errorMember(mcpErrorOf(problem));
    // Posting it again would start another run; this one goes on.
    const advice =
      problem.code === "unavailable" ? `, or wait for it: await_answer, session ${sessionId}` : "";
    return frame({ id, error: { code, message: `${message}${advice}`, data } });
  }

  /** Whether a client whose stream ends without an answer comes again by itself, to a node that goes on. */
  get #comesAgain(): boolean {
    const { client } = this.#call;
    return !isStateless(client) && client.version >= FIRST_WITH_EMPTY_EVENTS;
  }

  /** For whoever was asked, from now on. */
  #wait(): void {
    clearTimeout(this.#patience);
    if (this.#asked.size === 0) return;
    this.#patience = setTimeout(() => this.#enough.abort(), this.#call.questionMs).unref();
  }

  #over(): void {
    this.#isOver = true;
    clearTimeout(this.#patience);
  }

  #progress({ index, at, event }: RecordedSessionEvent): string {
    const { progressToken } = this.#call.place;
    if (progressToken === undefined || event.type === "agent_complete" || event.type === "agent_cancelled")
      return "";
    const isMoreOfTheSame = event.type === "agent_token" && Math.abs(at - this.#told.at) < NEWS_EVERY_MS;
    const { state } = this.#encoder;
    if (isMoreOfTheSame || state === this.#told.state) return "";
    this.#told = { at, state };
    const params = { progressToken, progress: index - this.#call.place.after, message: state };
    return this.#numbered(index, { method: "notifications/progress", params });
  }

  #question({ index, event }: RecordedSessionEvent): string {
    const { client, isAnswered, page, place } = this.#call;
    if (event.type !== "approval_requested" || !client.elicits || isStateless(client)) return "";
    if (isAnswered(event.approvalId)) return "";
    this.#asked.add(event.approvalId);
    this.#wait();
    const id = approvalRequestId(place.sessionId, event.approvalId);
    return this.#numbered(index, { id, method: "elicitation/create", params: this.#form(event, page) });
  }

  /** A question that has its answer is asked of nobody any more: whoever still shows it puts it away. */
  #withdrawn({ event }: RecordedSessionEvent): string {
    if (event.type !== "approval_answered" || !this.#asked.delete(event.approvalId)) return "";
    this.#wait();
    return this.#withdrawal(event.approvalId);
  }

  #withdrawal(approvalId: string): string {
    const requestId = approvalRequestId(this.#call.place.sessionId, approvalId);
    const params = { requestId, reason: "Nobody has to answer this any more" };
    return frame({ method: "notifications/cancelled", params });
  }

  #form(asked: EventOf<"approval_requested">, page: string): object {
    const { mode, ...form } = approvalForm(asked, page);
    return this.#call.client.version < FIRST_WITH_EMPTY_EVENTS ? form : { mode, ...form };
  }

  #numbered(told: number, message: object): string {
    const { client, place } = this.#call;
    if (isStateless(client)) return frame(message);
    return frame(message, eventIdOf({ ...place, told }));
  }
}

/** A message of JSON-RPC as a frame of an event stream. */
export function frame(message: object, id?: string): string {
  return sseFrame(JSON.stringify({ jsonrpc: "2.0", ...message }), { id });
}
