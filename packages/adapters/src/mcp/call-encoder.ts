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
const PROGRESS_INTERVAL_MS = 250;
/** From this revision on an event may have an id and no message, and a stream may end before its answer. */
const FIRST_WITH_EMPTY_EVENTS = "2025-11-25";
const FIRST_WITH_LINKS = "2025-06-18";

/** The run of a call, and its client. */
export interface CallContext {
  readonly place: CallPlace;
  /** The message that the call posted; undefined where it only watches. */
  readonly messageId?: string | undefined;
  readonly client: McpClient;
  /** The session's page in the browser. */
  readonly page: string;
  readonly isAnswered: (approvalId: string) => boolean;
  /** How long it waits for a user's answer. */
  readonly questionMs: number;
}

/**
 * Encodes a run as the answer to `tools/call`: progress, questions to the client's user where the client can ask, and
 * the result. It depends on the run's events alone, so any node can resume it at any place.
 */
export class CallEncoder implements RunStreamEncoder {
  readonly #call: CallContext;
  readonly #encoder = new RunProgress();
  /** Open questions that the client's user was asked. */
  readonly #asked = new Set<string>();
  readonly #enough = new AbortController();
  #patience: NodeJS.Timeout | undefined;
  #reported = { at: 0, state: "" };
  #isOver = false;

  constructor(call: CallContext) {
    this.#call = call;
  }

  /** Whether the client has been sent everything that this stream sends. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Some clients say that they can ask, and show nothing: then the call ends with the question and where to answer it.
   * A form that is shown after all can still be answered.
   */
  get enough(): AbortSignal {
    return this.#enough.signal;
  }

  begin(): string {
    return this.#comesAgain ? sseFrame("", { id: eventIdOf(this.#call.place) }) : "";
  }

  event(recorded: RecordedSessionEvent): string {
    this.#encoder.see(recorded);
    // At most one frame with an id, since the id names the place of the event. Frames that were sent before are made
    // again all the same: when the next one is due depends on them.
    const frames = this.#withdrawn(recorded) + (this.#question(recorded) || this.#progress(recorded));
    return recorded.index <= this.#call.place.sent ? "" : frames;
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
    // Calling again would start another run; this one goes on.
    const advice =
      problem.code === "unavailable" ? `, or wait for it: await_answer, session ${sessionId}` : "";
    return frame({ id, error: { code, message: `${message}${advice}`, data } });
  }

  /** Whether a client whose stream ends without an answer reconnects by itself. */
  get #comesAgain(): boolean {
    const { client } = this.#call;
    return !isStateless(client) && client.version >= FIRST_WITH_EMPTY_EVENTS;
  }

  /** Starts to wait for the user's answer. */
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
    const isMoreOfTheSame =
      event.type === "agent_token" && Math.abs(at - this.#reported.at) < PROGRESS_INTERVAL_MS;
    const { state } = this.#encoder;
    if (isMoreOfTheSame || state === this.#reported.state) return "";
    this.#reported = { at, state };
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

  /** Withdraws a question that somebody has answered. */
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

  #numbered(sent: number, message: object): string {
    const { client, place } = this.#call;
    if (isStateless(client)) return frame(message);
    return frame(message, eventIdOf({ ...place, sent }));
  }
}

/** A message of JSON-RPC as a frame of an event stream. */
export function frame(message: object, id?: string): string {
  return sseFrame(JSON.stringify({ jsonrpc: "2.0", ...message }), { id });
}
