import type { EventOf } from "@parley/sessions";
import { chunkFrame, type UiChunk } from "./ui-chunk.ts";

/** Words that lead to the answer, as a part of a message: a thought, a plan, what one of several agents says. */
export interface ReasoningPart {
  readonly start: Extract<UiChunk, { type: "reasoning-start" }>;
  text: string;
  isOpen: boolean;
}

/** All of them, by artifact; what is said anew, or after an end, is a part of its own. */
export class ReasoningParts {
  readonly #heads = new Map<string, EventOf<"agent_token_start">>();
  readonly #parts = new Map<string, ReasoningPart>();
  readonly #added: (part: ReasoningPart) => void;
  #count = 0;

  /** `added` hears of each new part. */
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

  /** Ends those that are open. */
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

/** The part from nothing to how it is now. */
export function reasoningFrames({ start, text, isOpen }: ReasoningPart): string {
  const { id } = start;
  const said = chunkFrame(start) + chunkFrame({ type: "reasoning-delta", id, delta: text });
  return isOpen ? said : said + chunkFrame({ type: "reasoning-end", id });
}

function ended(part: ReasoningPart): string {
  if (!part.isOpen) return "";
  part.isOpen = false;
  return chunkFrame({ type: "reasoning-end", id: part.start.id });
}
