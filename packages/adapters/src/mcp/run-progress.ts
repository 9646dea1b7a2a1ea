import { callIdentity, type EventOf, type RecordedSessionEvent } from "@parley/sessions";

type End = EventOf<"agent_complete"> | EventOf<"agent_cancelled">;

interface Text {
  readonly isAnswer: boolean;
  words: number;
  isInWord: boolean;
}

/** Progress of a run, for a caller that waits for its answer. */
export class RunProgress {
  readonly #texts = new Map<string, Text>();
  readonly #calls = new Map<string, string>();
  readonly #artifacts = new Map<string, EventOf<"agent_artifact">>();
  readonly #questions = new Map<string, EventOf<"approval_requested">>();
  #steps: EventOf<"agent_plan">["steps"] = [];
  #end: End | undefined;

  see({ event }: Pick<RecordedSessionEvent, "event">): void {
    switch (event.type) {
      case "agent_token_start": {
        const before = event.restart ? undefined : this.#texts.get(event.artifactId);
        const isAnswer = event.channel === "answer";
        this.#texts.set(event.artifactId, before ?? { isAnswer, words: 0, isInWord: false });
        return;
      }
      case "agent_token":
        count(this.#texts.get(event.artifactId), event.text);
        return;
      case "agent_plan":
        this.#steps = event.steps;
        return;
      case "agent_tool_call":
        // A tool with an agent's name is that agent.
        this.#calls.set(
          callIdentity(event),
          event.tool === event.agent
            ? `asks ${event.tool}`
            : `${event.agent ?? ""} uses ${event.tool}`.trim(),
        );
        return;
      case "agent_tool_result":
        this.#calls.delete(callIdentity(event));
        return;
      case "agent_artifact":
        this.#artifacts.set(event.artifactId, event);
        return;
      case "approval_requested":
        this.#questions.set(event.approvalId, event);
        return;
      case "approval_answered":
        this.#questions.delete(event.approvalId);
        return;
      case "agent_complete":
      case "agent_cancelled":
        this.#end = event;
        return;
      default:
        return;
    }
  }

  get end(): End | undefined {
    return this.#end;
  }

  /** The questions that wait for a person. */
  get questions(): readonly EventOf<"approval_requested">[] {
    return [...this.#questions.values()];
  }

  /** The latest version of each artifact. */
  get artifacts(): readonly EventOf<"agent_artifact">[] {
    return [...this.#artifacts.values()].filter(({ parts }) => parts.length > 0);
  }

  /** The progress in one line. */
  get state(): string {
    const said = [...this.#texts.values()].filter(({ isAnswer }) => isAnswer);
    const words = said.reduce((sum, text) => sum + text.words, 0);
    const done = this.#steps.filter(({ state }) => state === "completed").length;
    const parts = [
      ...(this.#steps.length > 0 ? [`${done} of ${this.#steps.length} steps done`] : []),
      ...this.questions.map(({ question }) => `waits for a person: ${question}`),
      ...new Set(this.#calls.values()),
      ...(words > 0 ? [`${words} ${words === 1 ? "word" : "words"} so far`] : []),
    ];
    return parts.length > 0 ? parts.join(" · ") : "at work";
  }
}

function count(text: Text | undefined, piece: string): void {
  if (!text) return;
  for (const character of piece) {
    const isSpace = /\s/u.test(character);
    if (!isSpace && !text.isInWord) text.words += 1;
    text.isInWord = !isSpace;
  }
}
