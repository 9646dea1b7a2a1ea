import { EventType, type Message } from "@ag-ui/core";
import type { EventSink, Whose } from "./sub-agent-encoder.ts";

export interface TextHead extends Whose {
  readonly id: string;
  readonly kind: "text" | "reasoning";
  readonly name?: string;
}

/**
 * A text as the client has it: one message, of one artifact or of several in the order in which they began. What comes
 * in another order, and what is taken back, cannot be said in pieces: then all messages are told anew.
 */
export class TextMessageEncoder {
  readonly #head: TextHead;
  readonly #sink: EventSink;
  readonly #parts = new Map<string, string>();
  readonly #places = new Map<string, number>();
  /** The place of the last part that says something. */
  #last = -1;
  #isOpen = false;
  #wasTold = false;
  /** What the client has is not the beginning of what holds: at the next word, or in the end, it is told anew. */
  #isTakenBack = false;
  #isOutOfOrder = false;

  constructor(head: TextHead, sink: EventSink) {
    this.#head = head;
    this.#sink = sink;
  }

  /** As it is in a list of messages; undefined where it says nothing. */
  get message(): Message | undefined {
    const content = this.#content;
    const { id, kind, name, subagentRunId } = this.#head;
    // Clients keep a thought that no list names: one that was taken back is named, and says nothing.
    if (content === "" && (kind === "text" || !this.#wasTold)) return undefined;
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
    // A list that is told before its next word may not name it any more.
    this.close();
    const said = [...this.#parts].filter(([, text]) => text !== "").map(([id]) => this.#places.get(id) ?? 0);
    this.#last = Math.max(-1, ...said);
  }

  say(artifactId: string, delta: string): void {
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

  /** Nothing more comes for now: the client has it as it is, or, where that is known, as it must be. */
  settle(whole = this.#content): void {
    const said = this.#content;
    const isBehind = this.#isTakenBack || this.#isOutOfOrder;
    if (!isBehind && whole.startsWith(said)) {
      if (whole !== said) this.say("the rest", whole.slice(said.length));
    } else {
      if (whole !== said) this.#replace(whole);
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

  /** What was told until now another stream told, or a list of messages: from here on a new one goes on. */
  goOn(): void {
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
    this.#wasTold = true;
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
