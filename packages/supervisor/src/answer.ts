import {
  type ArtifactWriter,
  type ExecutionContext,
  type Provenance,
  provenance,
  snapshot,
  withMember,
} from "@parley/a2a";

const NOTHING_SAID = "Nothing was said.";

/** The answer to the user while it grows, whoever writes it: `streaming_result`, and in the end `partial_result`. */
export class Answer {
  readonly #context: ExecutionContext;
  readonly #artifactId: string;
  #writer: ArtifactWriter | undefined;
  #origin: Provenance | undefined;
  #text: string;
  /** Whether there is an artifact with just this text. */
  #sent: boolean;

  /** Goes on with what the task already has. */
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

  /** Appends a piece; the origin says whose words these are, if not our own. */
  say(piece: string, origin?: Provenance): Promise<void> {
    const writer = this.#writerFor(origin);
    this.#text += piece;
    this.#sent = true;
    return writer.text(piece);
  }

  /** Takes back all but this beginning. */
  async keep(text: string): Promise<void> {
    if (this.#text === text) return;
    this.#text = text;
    if (this.#sent) await this.#writerFor().replace([{ text }]);
  }

  /** Closes it, and says it once more as a whole. Nothing follows that would need room, so nobody waits for it. */
  finish(): void {
    if (this.#text === "") void this.say(NOTHING_SAID);
    void this.#writerFor().close();
    const metadata = withMember(undefined, snapshot, { artifactId: this.#artifactId });
    const description = "Partial result from Platform Engineer (stream ended)";
    const whole = { artifactId: `${this.#artifactId}-whole`, name: "partial_result", description, metadata };
    void this.#context.artifact(whole).replace([{ text: this.#text }], { last: true });
  }

  // One writer as long as the origin is the same: it keeps half a character until the other half comes.
  #writerFor(origin?: Provenance): ArtifactWriter {
    if (this.#writer && this.#origin === origin) return this.#writer;
    // No other half comes to that writer: it has to send what it keeps.
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
