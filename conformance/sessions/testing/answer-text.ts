import type { ApiEvent } from "./api-client.ts";

/** The answer a client assembles from a run's events: its tokens joined, without retracted text. */
export function answerText(events: readonly ApiEvent[], runId?: string): string {
  const answers = new Map<string, string>();
  for (const { type, payload } of events) {
    if (runId !== undefined && payload.runId !== runId) continue;
    const { artifactId, channel, restart, text } = payload;
    if (type === "agent_token_start" && channel === "answer")
      answers.set(artifactId, restart ? "" : (answers.get(artifactId) ?? ""));
    else if (type === "agent_token" && answers.has(artifactId))
      answers.set(artifactId, answers.get(artifactId) + text);
  }
  return [...answers.values()].join("");
}

/** 1 to `count`. */
export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, place) => place + 1);
}
