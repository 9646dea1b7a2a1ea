import { essence, type Run, type SessionMessage, type SessionState } from "@parley/sessions";
import type { CommandIds } from "../../../api/command-ids.ts";
import { Problem } from "../../../api/problem.ts";
import { runOf } from "./asked-again.ts";
import type { Answering, Request } from "./asking.ts";
import { firstRun } from "./conversation-record.ts";

/** What a request led to in the session that was made under its key. */
export function madeUnder(request: Request, ids: CommandIds, state: SessionState): Answering {
  const posted = postedUnder(request, ids, state);
  if (posted) return posted;
  const run = firstRun(state);
  return same(
    request,
    state,
    run,
    state.messages.find(({ id }) => id === run.messageId),
  );
}

/** What the message with this request's key led to in this session. */
export function postedUnder(request: Request, ids: CommandIds, state: SessionState): Answering | undefined {
  const message =
    request.key === undefined ? undefined : state.messages.find(({ id }) => id === ids.id("msg"));
  const run = message && runOf(state, message);
  return run && same(request, state, run, message);
}

function same(
  { telling, agent }: Request,
  state: SessionState,
  run: Run,
  message: SessionMessage | undefined,
): Answering {
  const isSame =
    message !== undefined &&
    essence(message) === essence(telling.now) &&
    (run.agent === agent || run.messageId !== message.id);
  if (!isSame)
    throw new Problem("key_reused", "This Idempotency-Key was used for another request: choose a new one");
  return { sessionId: state.id, runId: run.id, messageId: message.id, part: 0 };
}
