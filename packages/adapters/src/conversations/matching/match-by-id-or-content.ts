import type { SessionMessage, SessionState } from "@parley/sessions";
import type { TranscriptMessage } from "../transcript.ts";

const MAX_RUN_ID = 250;

/** A message and its place among all that the client sent. */
export interface PlacedMessage extends TranscriptMessage {
  readonly id: string;
  readonly at: number;
}

/** How far a client's history is a session's. */
export interface PairedMatch<Message extends PlacedMessage> {
  /** How many of the session's messages the client has, or has passed by. */
  readonly place: number;
  /** The client's messages from the first one on that is not the session's. */
  readonly left: readonly Message[];
  /** Which of the session's messages each of the client's is. */
  readonly pairs: ReadonlyMap<number, number>;
}

/**
 * Compares a client's history with a session: by id, else by content, because some clients give their messages new ids
 * each time. The client may lack messages that others sent meanwhile, and a part of an answer is that answer.
 */
export function matchByIdOrContent<Message extends PlacedMessage>(
  { messages, runs }: Pick<SessionState, "messages" | "runs">,
  history: readonly Message[],
): PairedMatch<Message> {
  const known = new Map(messages.map(({ id }, index) => [id, index]));
  const names = new Set([...runs.keys(), ...messages.flatMap(({ runId }) => runId ?? [])]);
  const pairs = new Map<number, number>();
  let place = 0;
  let before: Message["role"] | undefined;
  for (const [at, message] of history.entries()) {
    const index = known.get(message.id);
    const next = nextOf(messages, place, message);
    // AG-UI clients before 0.0.59 do not keep the author: the id shows that it is an intermediate text.
    if (index === undefined && isNamedAfter(names, message.id)) continue;
    const isAnswer = before === "user" && isAnswerElsewhere(message);
    // Greetings before the first user message contradict nothing.
    const isGreeting = message.role === "assistant" && before === undefined;
    if (index !== undefined) {
      if (message.role === "user" && messages[index]?.content !== message.content)
        return { place: index, left: history.slice(at), pairs };
      pairs.set(message.at, index);
      place = Math.max(place, index + 1);
    } else if (isAlike(messages[next], message) || (isAnswer && messages[next]?.role === "assistant")) {
      pairs.set(message.at, next);
      place = next + 1;
    } else if (!isAnswer && !isGreeting) return { place, left: history.slice(at), pairs };
    // There may be several greetings.
    if (message.role === "user" || before) before = message.role;
  }
  return { place, left: [], pairs };
}

/** Where the session has what the client might mean: it may not have all that came before. */
function nextOf(messages: readonly SessionMessage[], place: number, message: TranscriptMessage): number {
  if (message.role === "assistant") return place;
  let index = place;
  while (index < messages.length && !isAlike(messages[index], message)) index++;
  return index;
}

/** Whether an id is that of a run, a dash and something more; no run's is longer. */
function isNamedAfter(runs: ReadonlySet<string>, id: string): boolean {
  const end = Math.min(id.length, MAX_RUN_ID + 1);
  for (let at = id.indexOf("-"); at >= 0 && at < end; at = id.indexOf("-", at + 1))
    if (runs.has(id.slice(0, at))) return true;
  return false;
}

function isAlike(recorded: SessionMessage | undefined, { role, content }: TranscriptMessage): boolean {
  return recorded?.role === role && recorded.content === content;
}

/** An answer under an id of the client's own. One of ours that the session does not have is in another one of the thread. */
function isAnswerElsewhere({ role, id }: PlacedMessage): boolean {
  return role === "assistant" && !id.endsWith("-answer");
}
