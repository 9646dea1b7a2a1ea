import type { EventOf } from "@parley/sessions";
import { type Request, requestIn } from "../world/spoken-words.ts";
import { type Evidence, type SessionEntry, sessionsIn } from "./evidence.ts";

/** A run in its session's log. */
export interface RecordedRun {
  readonly id: string;
  readonly sessionId: string;
  readonly start: EventOf<"agent_start">;
  /** The request, and so the expected answer. */
  readonly request: Request | undefined;
  readonly question: string;
  /** The events that name the run. */
  readonly entries: readonly SessionEntry[];
  readonly ends: readonly SessionEntry[];
}

/** All runs of all sessions. */
export function runsIn(evidence: Pick<Evidence, "streams">): RecordedRun[] {
  return [...sessionsIn(evidence)].flatMap(([sessionId, entries]) => {
    const questions = new Map(
      entries.flatMap(({ event }) =>
        event.type === "user_message" ? [[event.messageId, event.content]] : [],
      ),
    );
    return entries.flatMap(({ event: start }) => {
      if (start.type !== "agent_start") return [];
      const own = entries.filter(({ event }) => "runId" in event && event.runId === start.runId);
      const question = questions.get(start.messageId) ?? "";
      return {
        ...{ id: start.runId, sessionId, start, question, request: requestIn(question), entries: own },
        ends: own.filter(({ event: { type } }) => type === "agent_complete" || type === "agent_cancelled"),
      };
    });
  });
}

/** The answer a client assembles from a run's events: its tokens joined, without retracted text. */
export function joinedAnswer(entries: readonly SessionEntry[]): string {
  const answers = new Map<string, string>();
  for (const { event } of entries) {
    if (event.type === "agent_token_start" && event.channel === "answer")
      answers.set(event.artifactId, event.restart ? "" : (answers.get(event.artifactId) ?? ""));
    else if (event.type === "agent_token" && answers.has(event.artifactId))
      answers.set(event.artifactId, answers.get(event.artifactId) + event.text);
  }
  return [...answers.values()].join("");
}
