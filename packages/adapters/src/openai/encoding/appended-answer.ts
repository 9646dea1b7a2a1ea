import type { RecordedSessionEvent, Run } from "@parley/sessions";

interface Text {
  text: string;
  isEnded: boolean;
}

/**
 * An answer for append-only protocols: text that was sent cannot be taken back. The texts of an answer are sent in order,
 * each when the one before has ended. Where an agent takes text back and repeats it, only what goes beyond is sent; where
 * it says something else, nothing more is sent until the end decides.
 */
export class AppendedAnswer {
  readonly #texts = new Map<string, Text>();
  readonly #order: string[] = [];
  #told: string;
  /** The text that is being sent, and where it begins in what was sent. */
  #at = 0;
  #begin: number;
  /** How far what the agent says again has come; undefined: it is where we are. */
  #behind: number | undefined;
  #isLost = false;

  /** `texts`: the run's texts so far, all of them sent. */
  constructor(texts: Run["texts"] = new Map()) {
    for (const [id, { channel, text }] of texts) {
      if (channel !== "answer") continue;
      this.#order.push(id);
      this.#texts.set(id, { text, isEnded: false });
    }
    const said = [...this.#texts.values()].map(({ text }) => text);
    this.#told = said.join("");
    this.#at = Math.max(0, this.#order.length - 1);
    this.#begin = this.#told.length - (said.at(-1)?.length ?? 0);
  }

  get told(): string {
    return this.#told;
  }

  /** The whole text, sent or not. */
  get said(): string {
    return this.#order.map((id) => this.#texts.get(id)?.text ?? "").join("");
  }

  /** The text that can be sent now. */
  accept({ event }: RecordedSessionEvent): string {
    if (event.type === "agent_token_start") {
      if (event.channel === "answer") this.#start(event.artifactId, event.restart === true);
      return this.#goOn();
    }
    if (event.type !== "agent_token" && event.type !== "agent_token_end") return "";
    const text = this.#texts.get(event.artifactId);
    if (!text) return "";
    if (event.type === "agent_token_end") {
      text.isEnded = true;
      return this.#goOn();
    }
    text.text += event.text;
    const place =
      this.#order[this.#at] === event.artifactId ? this.#at : this.#order.indexOf(event.artifactId);
    if (place < this.#at) this.#isLost = true;
    return place === this.#at ? this.#say(event.text) : this.#goOn();
  }

  /** The rest of the answer at its end or at a question; undefined: it does not begin with what was sent. */
  finish(content = this.said): string | undefined {
    if (!content.startsWith(this.#told)) return undefined;
    const rest = content.slice(this.#told.length);
    this.#told = content;
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
    // All that follows is said once more, as far as it was not taken back too.
    this.#at = 0;
    this.#begin = 0;
    this.#behind = 0;
  }

  /** Goes on with the next text where this one has ended, or says nothing. */
  #goOn(): string {
    let said = "";
    for (;;) {
      const current = this.#texts.get(this.#order[this.#at] ?? "");
      const next = this.#texts.get(this.#order[this.#at + 1] ?? "");
      const isOver = current?.isEnded || (current?.text === "" && next !== undefined && next.text !== "");
      if (!next || !isOver || this.#isLost) return said;
      this.#at++;
      this.#begin = this.#behind ?? this.#told.length;
      said += this.#say(next.text);
    }
  }

  #say(piece: string): string {
    if (this.#isLost) return "";
    if (this.#behind === undefined) {
      this.#told += piece;
      return piece;
    }
    const again = this.#told.slice(this.#behind, this.#behind + piece.length);
    if (!piece.startsWith(again)) {
      this.#isLost = true;
      return "";
    }
    this.#behind += again.length;
    if (this.#behind < this.#told.length) return "";
    this.#behind = undefined;
    const more = piece.slice(again.length);
    this.#told += more;
    return more;
  }
}
