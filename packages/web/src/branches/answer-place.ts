import type { SessionView } from "../app/session-view.ts";
import { answerTo, type Place } from "./alternatives.ts";

/** Where in the conversation the answer of a run stands. */
export function placeOfRun(view: SessionView, runId: string): Place {
  return answerTo(view.message(view.run(runId)?.messageId ?? "")?.index ?? -1);
}

/** Where an answer stands whose run is in another session: after the message that began that run. */
export function placeOfAnswer(view: SessionView, messageId: string): Place {
  const messages = view.shown()?.messages ?? [];
  const at = view.message(messageId)?.index ?? 0;
  const asked = messages
    .slice(0, at)
    // One that has a run was said while that was under way, and did not begin another.
    .findLast(({ role, metadata }) => role === "user" && metadata.agentRunId === undefined);
  return answerTo(asked?.index ?? -1);
}
