import type { EventOf } from "@parley/client";
import type { Moment } from "./recording.ts";

type Json = Extract<Moment, { calls: string }>["arguments"];

/** The artifact that a text belongs to. */
interface TextHead {
  readonly artifactId: string;
  readonly name?: string | undefined;
  readonly agent?: string | undefined;
}

/** What one agent did, collected from a session's events in order, without ids, times and durations. */
export class RecordedMoments {
  readonly #agent: string;
  readonly #noted: (Moment & { readonly key: string; readonly name?: string | undefined })[] = [];

  constructor(agent: string) {
    this.#agent = agent;
  }

  say({ artifactId, name, agent }: TextHead, text: string): void {
    const last = this.#noted.at(-1);
    if (last && "says" in last && last.key === artifactId)
      this.#noted[this.#noted.length - 1] = { ...last, says: last.says + text };
    else this.#noted.push({ says: text, by: this.#by(agent), key: artifactId, name });
  }

  /** Discards the text of an artifact. */
  discard(artifactId: string): void {
    const kept = this.#noted.filter((moment) => !("says" in moment && moment.key === artifactId));
    this.#noted.splice(0, this.#noted.length, ...kept);
  }

  call(payload: EventOf<"agent_tool_call">["payload"]): void {
    const { tool, arguments: given, agent } = payload;
    this.#noted.push({
      calls: tool,
      arguments: given as Json,
      by: this.#by(agent),
      key: keyOf(payload),
    });
  }

  ended({ outcome, result, text, ...about }: EventOf<"agent_tool_result">["payload"]): void {
    const key = keyOf(about);
    const at = this.#noted.findIndex((moment) => "calls" in moment && moment.key === key);
    const moment = this.#noted[at];
    if (!moment || !("calls" in moment)) return;
    this.#noted[at] = { ...moment, outcome, result: (result ?? text) as Json };
  }

  ask({ question, tool, arguments: given, agent }: EventOf<"approval_requested">["payload"]): void {
    this.#noted.push({
      asks: plainQuestion(question),
      tool,
      arguments: given as Json,
      by: this.#by(agent),
      key: "",
    });
  }

  /** Records an artifact that is not text, replacing its previous version. */
  bring({ artifactId, name = "", parts, agent }: EventOf<"agent_artifact">["payload"]): void {
    const moment = {
      brings: name,
      parts: parts as Extract<Moment, { brings: string }>["parts"],
      by: this.#by(agent),
      key: artifactId,
    };
    const at = this.#noted.findIndex((one) => "brings" in one && one.key === artifactId);
    if (at < 0) this.#noted.push(moment);
    else this.#noted[at] = moment;
  }

  /** All moments in order; the text in `main`, or else in the first artifact, is the agent's answer and has no name. */
  moments(main?: string): Moment[] {
    const texts = this.#noted.filter((moment) => "says" in moment);
    const answer = texts.some(({ key }) => key === main) ? main : texts[0]?.key;
    return this.#noted.map(({ key, name, ...moment }) =>
      "says" in moment && key !== answer ? { ...moment, artifact: name ?? "" } : moment,
    );
  }

  #by(agent: string | undefined): string | undefined {
    return agent === this.#agent ? undefined : agent;
  }
}

/** A question without the supervisor's prefix. */
export function plainQuestion(question: string): string {
  return question.replace(/^❓ Agent .* asks:\n/, "");
}

function keyOf(
  call: Pick<EventOf<"agent_tool_call">["payload"], "callId" | "agent" | "parentCallId" | "taskId">,
): string {
  const { callId, agent, parentCallId, taskId } = call;
  return JSON.stringify([agent, parentCallId, taskId, callId]);
}
