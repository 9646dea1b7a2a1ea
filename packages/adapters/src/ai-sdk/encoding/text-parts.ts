import { sseFrame } from "@parley/a2a";
import type { EventOf } from "@parley/sessions";
import { chunkFrame, type UiChunk } from "./ui-chunk.ts";

interface Segment {
  readonly artifactId: string;
  readonly id: string;
  readonly head: string;
  text: string;
}

/** The answer's text as the client has it: text parts in the order in which they began. */
export class AnswerText {
  #segments: Segment[] = [];
  readonly #open = new Map<string, Segment>();
  #count = 0;

  get text(): string {
    return this.#segments.map(({ text }) => text).join("");
  }

  /** Whether the text of an artifact is in several parts, because another one began in between and the run waited. */
  get isSplit(): boolean {
    return new Set(this.#segments.map(({ artifactId }) => artifactId)).size < this.#segments.length;
  }

  has(artifactId: string): boolean {
    return this.#segments.some((segment) => segment.artifactId === artifactId && segment.text !== "");
  }

  /** Appends text of an artifact; its frames are the most frequent ones, so they are put together by hand. */
  more(artifactId: string, text: string): string {
    const open = this.#open.get(artifactId);
    const segment = open ?? this.#begin(artifactId);
    segment.text += text;
    const frame = sseFrame(`${segment.head}${JSON.stringify(text)}}`);
    return open ? frame : `${chunkFrame({ type: "text-start", id: segment.id })}${frame}`;
  }

  /** Removes an artifact's text here; the client still has it. */
  takeBack(artifactId: string): void {
    this.#segments = this.#segments.filter((segment) => segment.artifactId !== artifactId);
    this.#open.delete(artifactId);
  }

  /** Replaces all text here; the client still has the old one. */
  becomes(text: string): void {
    this.#segments = [];
    this.#open.clear();
    if (text !== "") this.#begin("answer").text = text;
  }

  /** Sends all of it again, after the client's step was reset. */
  again(): string {
    const texts = new Map<string, string>();
    for (const { artifactId, text } of this.#segments)
      texts.set(artifactId, (texts.get(artifactId) ?? "") + text);
    this.#segments = [];
    this.#open.clear();
    let frames = "";
    for (const [artifactId, text] of texts) if (text !== "") frames += this.more(artifactId, text);
    return frames;
  }

  /** Closes the open parts. */
  close(): string {
    let frames = "";
    for (const segment of this.#open.values()) {
      frames += chunkFrame({ type: "text-end", id: segment.id });
    }
    this.#open.clear();
    return frames;
  }

  #begin(artifactId: string): Segment {
    const id = `text-${++this.#count}`;
    const head = `{"type":"text-delta","id":"${id}","delta":`;
    const segment = { artifactId, id, head, text: "" };
    this.#segments.push(segment);
    this.#open.set(artifactId, segment);
    return segment;
  }
}

/** A reasoning part: a thought, a plan, or the text of one of several agents. */
interface ReasoningPart {
  readonly start: Extract<UiChunk, { type: "reasoning-start" }>;
  text: string;
  isOpen: boolean;
}

/** All reasoning parts by artifact; text after a restart or an end begins a new part. */
export class ReasoningParts {
  readonly #heads = new Map<string, EventOf<"agent_token_start">>();
  readonly #parts = new Map<string, ReasoningPart>();
  readonly #added: (part: ReasoningPart) => void;
  #count = 0;

  constructor(added: (part: ReasoningPart) => void) {
    this.#added = added;
  }

  begin(event: EventOf<"agent_token_start">): string {
    this.#heads.set(event.artifactId, event);
    return event.restart ? this.end(event.artifactId) : "";
  }

  more(artifactId: string, text: string): string {
    const open = this.#parts.get(artifactId);
    const part = open?.isOpen ? open : this.#begun(artifactId);
    part.text += text;
    const frame = chunkFrame({ type: "reasoning-delta", id: part.start.id, delta: text });
    return part === open ? frame : chunkFrame(part.start) + frame;
  }

  end(artifactId: string): string {
    const part = this.#parts.get(artifactId);
    return part ? ended(part) : "";
  }

  /** Ends the open parts. */
  close(which: (part: ReasoningPart) => boolean = () => true): string {
    let frames = "";
    for (const part of this.#parts.values()) if (which(part)) frames += ended(part);
    return frames;
  }

  #begun(artifactId: string): ReasoningPart {
    const { channel, agent, name, parentCallId } = this.#heads.get(artifactId) ?? {};
    const parley = { channel, agent, name, parentCallId };
    const id = `reasoning-${++this.#count}`;
    const part: ReasoningPart = {
      start: { type: "reasoning-start", id, providerMetadata: { parley } },
      text: "",
      isOpen: true,
    };
    this.#parts.set(artifactId, part);
    this.#added(part);
    return part;
  }
}

/** All frames of the part so far. */
export function reasoningFrames({ start, text, isOpen }: ReasoningPart): string {
  const { id } = start;
  const frames = chunkFrame(start) + chunkFrame({ type: "reasoning-delta", id, delta: text });
  return isOpen ? frames : frames + chunkFrame({ type: "reasoning-end", id });
}

function ended(part: ReasoningPart): string {
  if (!part.isOpen) return "";
  part.isOpen = false;
  return chunkFrame({ type: "reasoning-end", id: part.start.id });
}
