import type { EventOf, SessionEvent } from "../../domain/session-event.ts";

/** Larger pieces are cut, so that no event comes near to what the journal takes. */
const MAX_PIECE_LENGTH = 65_536;

type Head = Omit<EventOf<"agent_token_start">, "type" | "restart">;

/**
 * One text of a run, as the session has it. What the agent shows may be behind that for a while (it was asked anew and
 * tells its beginning again): nothing is said then until it goes beyond, or turns out to be another text.
 */
export class RunText {
  readonly #head: Head;
  readonly #tell: (event: SessionEvent) => void;
  #said = "";
  /** How far the agent has come with what was said before; undefined: it is where we are. */
  #behind: number | undefined;
  /** Half of a character, whose other half is still to come. */
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

  /** Says that it begins, though nothing is said yet. */
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

  /** Takes back what was said, and begins anew with this. */
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

  /** The agent has this text now: only what is missing is said, and what contradicts is taken back. */
  bringTo(text: string, { final = false } = {}): void {
    const known = this.#said + this.#half;
    this.#behind = undefined;
    if (text.startsWith(known)) this.#say(text.slice(known.length));
    else if (final || !known.startsWith(text)) this.restart(text);
    else this.#behind = text.length;
  }

  /** No more will come: where the agent is still behind, it has taken the rest back. */
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
