/** Asks the caller and resolves with the answer. */
export type Ask = (question: string) => Promise<string>;

/** The text chunks as they arrive. */
export type Pieces = AsyncIterable<string> | Iterable<string>;

const ARTIFACT = { artifactId: "answer", name: "current_result" };

/** For tests: a task that runs independently of its subscribers; a late subscriber first gets the text so far. */
export class ScriptedTask {
  readonly id: string;
  readonly #contextId: string;
  readonly #pieces: string[] = [];
  #state = "working";
  #change = Promise.withResolvers<void>();

  /** Its question, and the handler of the answer. */
  #question: { readonly text: string; readonly answer: (text: string) => void } | undefined;
  /** Why it failed. */
  #reason: string | undefined;

  constructor(id: string, contextId: string, script: (ask: Ask) => Pieces) {
    this.id = id;
    this.#contextId = contextId;
    void this.#say(script((text) => this.#ask(text)));
  }

  /** Answers what it has asked. */
  answer(text: string): void {
    const question = this.#question;
    this.#question = undefined;
    this.#changed("working");
    question?.answer(text);
  }

  cancel(): void {
    this.#changed("canceled");
  }

  view(): object {
    const parts = [{ kind: "text", text: this.#pieces.join("") }];
    const artifacts = this.#pieces.length > 0 ? [{ ...ARTIFACT, parts }] : [];
    return { kind: "task", id: this.id, contextId: this.#contextId, status: this.#status(), artifacts };
  }

  /** From its beginning, or from where it is. */
  async *events(isFromStart: boolean): AsyncGenerator<object> {
    const of = { taskId: this.id, contextId: this.#contextId };
    let sent = isFromStart ? 0 : this.#pieces.length;
    yield isFromStart
      ? { kind: "task", id: this.id, contextId: this.#contextId, status: { state: "working" } }
      : this.view();
    for (;;) {
      for (let text = this.#pieces[sent]; text !== undefined; text = this.#pieces[sent]) {
        const artifact = { ...ARTIFACT, parts: [{ kind: "text", text }] };
        yield { kind: "artifact-update", ...of, artifact, append: sent > 0, lastChunk: false };
        sent++;
      }
      if (this.#state !== "working") break;
      await this.#change.promise;
    }
    yield { kind: "status-update", ...of, status: this.#status(), final: true };
  }

  /** A script that throws makes a task that fails, for the reason that was thrown. */
  async #say(script: Pieces): Promise<void> {
    let end = "completed";
    try {
      for await (const text of script) {
        if (this.#state !== "working") return;
        this.#pieces.push(text);
        this.#changed("working");
      }
    } catch (error) {
      end = "failed";
      this.#reason = (error as Error).message;
    }
    if (this.#state === "working") this.#changed(end);
  }

  #ask(text: string): Promise<string> {
    return new Promise((answer) => {
      this.#question = { text, answer };
      this.#changed("input-required");
    });
  }

  #status(): object {
    const text = this.#question?.text ?? this.#reason;
    const of = { kind: "message", role: "agent", messageId: `${this.id}-${this.#state}`, taskId: this.id };
    const message = { ...of, contextId: this.#contextId, parts: [{ kind: "text", text }] };
    return { state: this.#state, ...(text !== undefined && { message }) };
  }

  #changed(state: string): void {
    this.#state = state;
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers<void>();
    resolve();
  }
}
