import {
  type ArtifactWriter,
  type ExecutionContext,
  type Provenance,
  provenance,
  snapshot,
  withMember,
} from "@parley/a2a";

const NOTHING_SAID = "Nothing was said.";

/** The growing answer to the user, whoever writes it: `streaming_result`, and finally `partial_result`. */
export class Answer {
  readonly #context: ExecutionContext;
  readonly #artifactId: string;
  #writer: ArtifactWriter | undefined;
  #origin: Provenance | undefined;
  #text: string;
  #sent: boolean;

  /** Continues what the task already has. */
  constructor(context: ExecutionContext) {
    this.#context = context;
    this.#artifactId = `${context.taskId}-answer`;
    const known = context.task.artifacts?.find(({ artifactId }) => artifactId === this.#artifactId);
    this.#text = known?.parts.map(({ text = "" }) => text).join("") ?? "";
    this.#sent = known !== undefined;
  }

  get text(): string {
    return this.#text;
  }

  /** Appends a piece; the origin names its author, if not ourselves. */
  say(piece: string, origin?: Provenance): Promise<void> {
    const writer = this.#writerFor(origin);
    this.#text += piece;
    this.#sent = true;
    return writer.text(piece);
  }

  /** Takes back all but this prefix. */
  async keep(text: string): Promise<void> {
    if (this.#text === text) return;
    this.#text = text;
    if (this.#sent) await this.#writerFor().replace([{ text }]);
  }

  /** Closes it and repeats it whole; not awaited, because nothing follows that needs room. */
  finish(): void {
    if (this.#text === "") void this.say(NOTHING_SAID);
    void this.#writerFor().close();
    const metadata = withMember(undefined, snapshot, { artifactId: this.#artifactId });
    const description = "Partial result from Platform Engineer (stream ended)";
    const whole = { artifactId: `${this.#artifactId}-whole`, name: "partial_result", description, metadata };
    void this.#context.artifact(whole).replace([{ text: this.#text }], { last: true });
  }

  // One writer per origin: it keeps half a character until the other half comes.
  #writerFor(origin?: Provenance): ArtifactWriter {
    if (this.#writer && this.#origin === origin) return this.#writer;
    // The other half will not come to that writer: it has to send what it keeps.
    if (/[\uD800-\uDBFF]$/.test(this.#text)) void this.#writer?.part({ text: "" });
    this.#origin = origin;
    this.#writer = this.#context.artifact({
      artifactId: this.#artifactId,
      name: "streaming_result",
      description: "Streaming result from Platform Engineer",
      ...(origin && { metadata: withMember(undefined, provenance, origin) }),
    });
    return this.#writer;
  }
}
