import type { EventOf, SessionEvent } from "../../domain/session-event.ts";
import { RunText } from "./run-text.ts";

type Head = Omit<EventOf<"agent_token_start">, "type" | "restart" | "runId">;

/** A longer answer does not fit into the event that ends a run. */
const MAX_ANSWER_BYTES = 786_432;

export class AnswerTooLongError extends Error {
  constructor() {
    super(`The agent's answer has more than ${MAX_ANSWER_BYTES} bytes, which is the limit: ask for less`);
  }
}

/** All texts of a run, in the session's order. */
export class RunTexts {
  readonly #runId: string;
  readonly #tell: (event: SessionEvent) => void;
  readonly #order = new Set<string>();
  readonly #texts = new Map<string, RunText>();
  #answerBytes = 0;

  constructor(runId: string, tell: (event: SessionEvent) => void) {
    this.#runId = runId;
    this.#tell = tell;
  }

  get answer(): string {
    return this.of("answer")
      .map(({ said }) => said)
      .join("");
  }

  get(artifactId: string): RunText | undefined {
    return this.#texts.get(artifactId);
  }

  /** The text of an artifact, created if it is new. */
  open(head: Head): RunText {
    const known = this.#texts.get(head.artifactId);
    if (known) return known;
    const text = new RunText({ ...head, runId: this.#runId }, (event) => this.#pass(event, head));
    this.#texts.set(head.artifactId, text);
    return text;
  }

  alias(artifactId: string, text: RunText): void {
    this.#texts.set(artifactId, text);
  }

  /** The recorded texts of one channel. */
  of(channel: Head["channel"]): readonly RunText[] {
    const texts = [...this.#order].flatMap((id) => this.#texts.get(id) ?? []);
    return texts.filter((text) => text.channel === channel);
  }

  settle(): void {
    for (const text of this.#texts.values()) text.settle();
  }

  takeBack(): void {
    for (const text of this.#texts.values()) text.restart("");
    this.#texts.clear();
    this.#answerBytes = 0;
  }

  #pass(event: SessionEvent, { artifactId, channel }: Head): void {
    if (event.type === "agent_token_start") this.#order.add(artifactId);
    if (event.type === "agent_token" && channel === "answer") {
      this.#answerBytes += Buffer.byteLength(JSON.stringify(event.text));
      // Includes what was taken back, until it is measured again.
      if (this.#answerBytes > MAX_ANSWER_BYTES) this.#weigh(event.text);
    }
    this.#tell(event);
  }

  #weigh(piece: string): void {
    const whole = this.answer;
    this.#answerBytes = Buffer.byteLength(JSON.stringify(whole.endsWith(piece) ? whole : whole + piece));
    if (this.#answerBytes > MAX_ANSWER_BYTES) throw new AnswerTooLongError();
  }
}
