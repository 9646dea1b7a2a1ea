import type { EventOf, SessionEvent } from "../../domain/session-event.ts";

/** Larger pieces are split, to stay far below the journal's limit. */
const MAX_PIECE_LENGTH = 65_536;

type Head = Omit<EventOf<"agent_token_start">, "type" | "restart">;

/**
 * One text of a run, as the session has it. An agent that was restarted repeats its beginning: nothing is recorded then
 * until it goes beyond, or turns out to be another text.
 */
export class RunText {
  readonly #head: Head;
  readonly #tell: (event: SessionEvent) => void;
  #said = "";
  /** How far a restarted agent has repeated the text; undefined: it is up to date. */
  #behind: number | undefined;
  /** Half of a surrogate pair. */
  #half = "";
  #begun = false;
  #open = false;

  constructor(head: Head, tell: (event: SessionEvent) => void) {
    this.#head = head;
    this.#tell = tell;
  }

  get channel(): Head["channel"] {
    return this.#head.channel;
  }

  get said(): string {
    return this.#said;
  }

  /** Records the start, though there is no text yet. */
  start(): void {
    if (this.#open) return;
    if (!this.#begun) this.#tell({ type: "agent_token_start", ...this.#head });
    this.#begun = true;
    this.#open = true;
  }

  append(piece: string): void {
    if (this.#behind === undefined) this.#say(piece);
    else if (!this.#said.startsWith(piece, this.#behind))
      this.bringTo(this.#said.slice(0, this.#behind) + piece);
    else {
      this.#behind += piece.length;
      if (this.#behind === this.#said.length) this.#behind = undefined;
    }
  }

  /** Takes back the text, and starts over with this one. */
  restart(text: string): void {
    const isNew = this.#said === "";
    this.#behind = undefined;
    this.#half = "";
    this.#said = "";
    if (!isNew) {
      this.#tell({ type: "agent_token_start", ...this.#head, restart: true });
      this.#open = true;
    }
    this.#say(text);
  }

  /** Changes it to this text: records what is missing, and takes back what contradicts. */
  bringTo(text: string, { final = false } = {}): void {
    const known = this.#said + this.#half;
    this.#behind = undefined;
    if (text.startsWith(known)) this.#say(text.slice(known.length));
    else if (final || !known.startsWith(text)) this.restart(text);
    else this.#behind = text.length;
  }

  /** No more will come: what a restarted agent has not repeated is taken back. */
  settle(): void {
    if (this.#behind !== undefined) this.restart(this.#said.slice(0, this.#behind));
    const half = this.#half.toWellFormed();
    this.#half = "";
    if (half !== "") this.#send(half);
    this.end();
  }

  end(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#tell({ type: "agent_token_end", runId: this.#head.runId, artifactId: this.#head.artifactId });
  }

  #say(piece: string): void {
    const text = this.#half + piece;
    this.#half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : "";
    this.#send((this.#half === "" ? text : text.slice(0, -1)).toWellFormed());
  }

  #send(text: string): void {
    if (text === "") return;
    this.start();
    this.#said += text;
    const { runId, artifactId } = this.#head;
    for (const piece of pieces(text)) this.#tell({ type: "agent_token", runId, artifactId, text: piece });
  }
}

function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const isCut = /[\uD800-\uDBFF]/.test(text[at + MAX_PIECE_LENGTH - 1] ?? "");
    const end = at + MAX_PIECE_LENGTH - (isCut ? 1 : 0);
    yield text.slice(at, end);
    at = end;
  }
}
