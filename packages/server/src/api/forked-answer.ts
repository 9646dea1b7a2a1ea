import type { z } from "@hono/zod-openapi";
import type { Principal, Run, SessionMessage, SessionState, Sessions } from "@parley/sessions";
import type { forkedSchema } from "./schemas/reading-schemas.ts";
import { timelineOf } from "./session-reading.ts";
import { messageView } from "./views/message-view.ts";
import { runView } from "./views/run-view.ts";
import { sessionView, timesOf } from "./views/session-view.ts";

/** A fork as it is answered with: the new session, its messages, and the run that goes on in it. */
export async function forkedAnswer(
  sessions: Sessions,
  principal: Principal,
  child: SessionState,
): Promise<z.infer<typeof forkedSchema>> {
  const timeline = await timelineOf(sessions, principal, child);
  const views = child.messages.map((message) => messageView(child.id, message, timeline));
  const run = [...child.runs.values()].at(-1);
  const message = views.find(({ id }) => id === run?.messageId);
  return {
    session: sessionView(child, await timesOf(sessions, principal, child)),
    messages: views,
    ...(message && { message }),
    ...(run && { run: runView(child.id, run, timeline) }),
  };
}

/** The one fork of a command that makes one. */
export function onlyOne([child]: readonly SessionState[]): SessionState {
  if (!child) throw new Error("A fork that was recorded is not there");
  return child;
}

/** The run that a message went to: the one that answers it, or the one that was under way. */
export function runTakenBy({ messages, runs }: SessionState, { id, index }: SessionMessage): Run | undefined {
  const places = new Map(messages.map((message) => [message.id, message.index]));
  const earlier = [...runs.values()].filter((run) => (places.get(run.messageId) ?? 0) <= index);
  return earlier.findLast((run) => run.messageId === id) ?? earlier.at(-1);
}
