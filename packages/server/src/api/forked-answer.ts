import { z } from "@hono/zod-openapi";
import { invalid } from "@parley/adapters";
import type { Principal, SessionState, Sessions } from "@parley/sessions";
import type { forkedSchema } from "./schemas/reading-schemas.ts";
import { runSchema } from "./schemas/run-schemas.ts";
import { messageSchema, sessionSchema } from "./schemas/session-schemas.ts";
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
    message,
    run: run && runView(child.id, run, timeline),
  };
}

/** A session as it was. */
export const pastSessionSchema = z.object({
  session: sessionSchema,
  messages: z.array(messageSchema),
  runs: z.array(runSchema),
  index: z.int(),
  last: z.int().openapi({ description: "How many events there are now" }),
});

/** The session as it was when it had so many events. */
export async function pastSession(
  sessions: Sessions,
  principal: Principal,
  { id, index: last }: SessionState,
  until: number,
): Promise<z.infer<typeof pastSessionSchema>> {
  if (until < 1 || until > last)
    throw invalid("query.until", `must be 1 to ${last}, the session's last event`);
  const state = await sessions.stateAt(principal, id, until);
  const timeline = await timelineOf(sessions, principal, state);
  return {
    session: sessionView(state, await timesOf(sessions, principal, state)),
    messages: state.messages.map((message) => messageView(id, message, timeline)),
    runs: [...state.runs.values()].map((run) => runView(id, run, timeline)),
    index: until,
    last,
  };
}
