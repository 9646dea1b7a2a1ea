import type { SessionMessage, SessionState } from "@parley/sessions";
import type { ThreadMessage } from "./parsing/thread-messages.ts";

const MAX_RUN_ID = 250;

/** How far a client's history is a session's. */
export interface ThreadMatch {
  /** So many of the session's messages it has, or has passed by. */
  readonly place: number;
  /** What it has from the first message on that is not the session's. */
  readonly left: readonly ThreadMessage[];
  /** Which of the session's messages each of the client's is. */
  readonly pairs: ReadonlyMap<number, number>;
}

/**
 * Compares a client's history with a session: by id, else by content, because some clients give their messages new ids
 * each time. The client may lack messages that others sent meanwhile, and a part of an answer is that answer.
 */
export function matchThread(
  { messages, runs }: Pick<SessionState, "messages" | "runs">,
  said: readonly ThreadMessage[],
): ThreadMatch {
  const known = new Map(messages.map(({ id }, index) => [id, index]));
  const names = new Set([...runs.keys(), ...messages.flatMap(({ runId }) => runId ?? [])]);
  const pairs = new Map<number, number>();
  let place = 0;
  let before: ThreadMessage["role"] | undefined;
  for (const [at, message] of said.entries()) {
    const index = known.get(message.id);
    const next = nextOf(messages, place, message);
    // Clients before 0.0.59 do not keep whose words something was: its name tells that an agent said it on the way.
    const isOnTheWay = index === undefined && isNamedAfter(names, message.id);
    if (isOnTheWay) continue;
    const isAnswer = before === "user" && isAnswerElsewhere(message);
    if (index !== undefined) {
      if (message.role === "user" && messages[index]?.content !== message.text)
        return { place: index, left: said.slice(at), pairs };
      pairs.set(message.at, index);
      place = Math.max(place, index + 1);
    } else if (isSaidAlike(messages[next], message) || (isAnswer && messages[next]?.role === "assistant")) {
      pairs.set(message.at, next);
      place = next + 1;
    } else if (!isAnswer && !isGreeting(message, before)) return { place, left: said.slice(at), pairs };
    // Greetings may be several.
    if (message.role === "user" || before) before = message.role;
  }
  return { place, left: [], pairs };
}

/** Where the session has what the client might mean: it may not have all that came before. */
function nextOf(messages: readonly SessionMessage[], place: number, said: ThreadMessage): number {
  if (said.role === "assistant") return place;
  let index = place;
  while (index < messages.length && !isSaidAlike(messages[index], said)) index++;
  return index;
}

/** Whether an id is that of a run, a dash and something more; no run's is longer. */
function isNamedAfter(runs: ReadonlySet<string>, id: string): boolean {
  const end = Math.min(id.length, MAX_RUN_ID + 1);
  for (let at = id.indexOf("-"); at >= 0 && at < end; at = id.indexOf("-", at + 1))
    if (runs.has(id.slice(0, at))) return true;
  return false;
}

function isSaidAlike(recorded: SessionMessage | undefined, { role, text }: ThreadMessage): boolean {
  return recorded?.role === role && recorded.content === text;
}

/** What a page says before anybody has said anything contradicts nothing. */
function isGreeting({ role }: ThreadMessage, before: ThreadMessage["role"] | undefined): boolean {
  return role === "assistant" && before === undefined;
}

/** An answer under a name of the client's own. One of ours that the session does not have is in another one of the thread. */
function isAnswerElsewhere({ role, id }: ThreadMessage): boolean {
  return role === "assistant" && !id.endsWith("-answer");
}
