import type { RecordedSessionEvent, Run } from "@parley/sessions";

interface Text {
  text: string;
  isEnded: boolean;
}

/**
 * An answer for append-only protocols: text that was sent cannot be taken back. The texts of an answer are sent in
 * order, each when the one before has ended. Where an agent repeats text that it took back, only the rest is sent;
 * where the text differs, nothing is sent until the end decides.
 */
export class AppendedAnswer {
  readonly #texts = new Map<string, Text>();
  readonly #order: string[] = [];
  #sent: string;
  /** The index of the current text, and where it begins in the sent text. */
  #at = 0;
  #begin: number;
  /** How far repeated text has come; undefined: nothing is being repeated. */
  #behind: number | undefined;
  #hasDiverged = false;

  /** `texts`: the run's texts so far, all of them sent. */
  constructor(texts: Run["texts"] = new Map()) {
    for (const [id, { channel, text }] of texts) {
      if (channel !== "answer") continue;
      this.#order.push(id);
      this.#texts.set(id, { text, isEnded: false });
    }
    const before = [...this.#texts.values()].map(({ text }) => text);
    this.#sent = before.join("");
    this.#at = Math.max(0, this.#order.length - 1);
    this.#begin = this.#sent.length - (before.at(-1)?.length ?? 0);
  }

  get sent(): string {
    return this.#sent;
  }

  /** The whole text, sent or not. */
  get text(): string {
    return this.#order.map((id) => this.#texts.get(id)?.text ?? "").join("");
  }

  /** The text that can be sent now. */
  accept({ event }: RecordedSessionEvent): string {
    if (event.type === "agent_token_start") {
      if (event.channel === "answer") this.#start(event.artifactId, event.restart === true);
      return this.#sendNext();
    }
    if (event.type !== "agent_token" && event.type !== "agent_token_end") return "";
    const text = this.#texts.get(event.artifactId);
    if (!text) return "";
    if (event.type === "agent_token_end") {
      text.isEnded = true;
      return this.#sendNext();
    }
    text.text += event.text;
    const place =
      this.#order[this.#at] === event.artifactId ? this.#at : this.#order.indexOf(event.artifactId);
    if (place < this.#at) this.#hasDiverged = true;
    return place === this.#at ? this.#send(event.text) : this.#sendNext();
  }

  /** The rest of the answer at its end or at a question; undefined: it does not begin with what was sent. */
  finish(content = this.text): string | undefined {
    if (!content.startsWith(this.#sent)) return undefined;
    const rest = content.slice(this.#sent.length);
    this.#sent = content;
    return rest;
  }

  #start(artifactId: string, isRestart: boolean): void {
    const known = this.#texts.get(artifactId);
    if (!known) {
      this.#order.push(artifactId);
      this.#texts.set(artifactId, { text: "", isEnded: false });
      return;
    }
    known.isEnded = false;
    if (!isRestart) return;
    known.text = "";
    const place = this.#order.indexOf(artifactId);
    if (place === this.#at) this.#behind = this.#begin;
    if (place >= this.#at) return;
    // All later texts are repeated too.
    this.#at = 0;
    this.#begin = 0;
    this.#behind = 0;
  }

  /** Sends the next texts where the current one has ended. */
  #sendNext(): string {
    let text = "";
    for (;;) {
      const current = this.#texts.get(this.#order[this.#at] ?? "");
      const next = this.#texts.get(this.#order[this.#at + 1] ?? "");
      const isOver = current?.isEnded || (current?.text === "" && next !== undefined && next.text !== "");
      if (!next || !isOver || this.#hasDiverged) return text;
      this.#at++;
      this.#begin = this.#behind ?? this.#sent.length;
      text += this.#send(next.text);
    }
  }

  #send(piece: string): string {
    if (this.#hasDiverged) return "";
    if (this.#behind === undefined) {
      this.#sent += piece;
      return piece;
    }
    const again = this.#sent.slice(this.#behind, this.#behind + piece.length);
    if (!piece.startsWith(again)) {
      this.#hasDiverged = true;
      return "";
    }
    this.#behind += again.length;
    if (this.#behind < this.#sent.length) return "";
    this.#behind = undefined;
    const more = piece.slice(again.length);
    this.#sent += more;
    return more;
  }
}
