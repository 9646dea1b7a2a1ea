import { EventType, type Message } from "@ag-ui/core";
import type { EventSink, SubAgentRef } from "./sub-agent-encoder.ts";

export interface TextHead extends SubAgentRef {
  readonly id: string;
  readonly kind: "text" | "reasoning";
  readonly name?: string;
}

/**
 * One message of the client's, made of one artifact or of several in the order in which they began. Text that comes in
 * another order or is taken back cannot be sent as deltas: then all messages are sent again.
 */
export class TextMessageEncoder {
  readonly #head: TextHead;
  readonly #sink: EventSink;
  readonly #parts = new Map<string, string>();
  readonly #places = new Map<string, number>();
  /** The place of the last part with text. */
  #last = -1;
  #isOpen = false;
  #wasSent = false;
  /** The client's text is no longer valid: all messages are sent again with the next text, or at the end. */
  #isTakenBack = false;
  #isOutOfOrder = false;

  constructor(head: TextHead, sink: EventSink) {
    this.#head = head;
    this.#sink = sink;
  }

  /** The message in a snapshot; undefined where it is empty. */
  get message(): Message | undefined {
    const content = this.#content;
    const { id, kind, name, subagentRunId } = this.#head;
    // Clients keep reasoning that no snapshot names, so reasoning that was taken back is sent as an empty message.
    if (content === "" && (kind === "text" || !this.#wasSent)) return undefined;
    const whose = subagentRunId === undefined ? {} : { subagentRunId };
    if (kind === "reasoning") return { id, role: "reasoning", content, ...whose };
    return { id, role: "assistant", content, ...whose, ...(name !== undefined && { name }) };
  }

  begin(artifactId: string, isRestart = false): void {
    if (!this.#parts.has(artifactId)) {
      this.#places.set(artifactId, this.#places.size);
      this.#parts.set(artifactId, "");
    }
    if (!isRestart || this.#parts.get(artifactId) === "") return;
    this.#parts.set(artifactId, "");
    this.#isTakenBack = true;
    // A snapshot that is sent before its next text may not contain it any more.
    this.close();
    const places = [...this.#parts]
      .filter(([, text]) => text !== "")
      .map(([id]) => this.#places.get(id) ?? 0);
    this.#last = Math.max(-1, ...places);
  }

  append(artifactId: string, delta: string): void {
    this.begin(artifactId);
    this.#parts.set(artifactId, this.#parts.get(artifactId) + delta);
    const place = this.#places.get(artifactId) ?? 0;
    const isLast = place >= this.#last;
    this.#last = Math.max(this.#last, place);
    if (this.#isTakenBack) this.#emitMessages();
    else if (!isLast) this.#isOutOfOrder = true;
    else {
      this.#open();
      const type =
        this.#head.kind === "text" ? EventType.TEXT_MESSAGE_CONTENT : EventType.REASONING_MESSAGE_CONTENT;
      this.#sink.emit({ type, messageId: this.#head.id, delta });
    }
  }

  /** Closes the text; with `whole`, makes sure that the client has exactly that. */
  settle(whole = this.#content): void {
    const content = this.#content;
    const isBehind = this.#isTakenBack || this.#isOutOfOrder;
    if (!isBehind && whole.startsWith(content)) {
      if (whole !== content) this.append("the rest", whole.slice(content.length));
    } else {
      if (whole !== content) this.#replace(whole);
      this.#emitMessages();
    }
    this.close();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { id: messageId, kind } = this.#head;
    if (kind === "text") this.#sink.emit({ type: EventType.TEXT_MESSAGE_END, messageId });
    else {
      this.#sink.emit({ type: EventType.REASONING_MESSAGE_END, messageId });
      this.#sink.emit({ type: EventType.REASONING_END, messageId });
    }
  }

  /** Marks the text until now as sent, by another stream or in a snapshot. */
  markSent(): void {
    this.#isOpen = false;
    this.#isTakenBack = false;
    this.#isOutOfOrder = false;
  }

  get #content(): string {
    return [...this.#parts.values()].join("");
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#wasSent = true;
    const { id: messageId, kind, name, subagentRunId } = this.#head;
    const whose = subagentRunId === undefined ? {} : { subagentRunId };
    if (kind === "text") {
      const head = { messageId, role: "assistant", ...whose, ...(name !== undefined && { name }) } as const;
      this.#sink.emit({ type: EventType.TEXT_MESSAGE_START, ...head });
    } else {
      this.#sink.emit({ type: EventType.REASONING_START, messageId, ...whose });
      this.#sink.emit({
        type: EventType.REASONING_MESSAGE_START,
        messageId,
        role: "reasoning",
        ...whose,
      });
    }
  }

  #replace(whole: string): void {
    this.#parts.clear();
    this.#places.clear();
    this.#last = -1;
    this.begin("the whole");
    if (whole === "") return;
    this.#parts.set("the whole", whole);
    this.#last = 0;
  }

  #emitMessages(): void {
    this.close();
    this.#isTakenBack = false;
    this.#isOutOfOrder = false;
    this.#sink.emitMessages();
  }
}
