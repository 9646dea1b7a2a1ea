import type { Usage } from "@parley/a2a";
import { nextRun, snapshotHash, snapshotOf } from "../domain/run-events.ts";
import type { EventOf, SessionEvent } from "../domain/session-event.ts";
import { evolve, type SessionState } from "../domain/session-state.ts";

const MAX_TITLE_LENGTH = 60;

export interface RunEnding {
  readonly runId: string;
  readonly state: "completed" | "failed";
  readonly reason?: string | undefined;
  readonly usage?: Usage | undefined;
  /** The agent that answered in place of the run's own. */
  readonly standIn?: string | undefined;
  readonly heard: ReadonlySet<string>;
}

/** The events that end a run: its answer, a title after the first exchange, a further run for late messages. */
export function endingOf(session: SessionState, ending: RunEnding): readonly SessionEvent[] {
  const { runId, state, reason, usage, standIn } = ending;
  const run = session.runs.get(runId);
  const answers = [...(run?.texts.values() ?? [])].filter(({ channel }) => channel === "answer");
  const content = answers.map(({ text }) => text).join("");
  const complete: EventOf<"agent_complete"> = {
    type: "agent_complete",
    runId,
    state,
    content,
    ...(content !== "" && { messageId: `${runId}-answer` }),
    ...(standIn !== undefined && { agent: standIn }),
    ...(reason !== undefined && { reason }),
    ...(usage && { usage: { ...usage } }),
  };
  const title = session.title === "" && session.titledBy === "creation" ? titleOf(session) : "";
  const late = state === "completed" ? further(session, ending) : undefined;
  const next = late ?? nextRun(evolve(session, complete));
  return [
    complete,
    ...(title === "" ? [] : [{ type: "session_renamed" as const, title, by: "first exchange" as const }]),
    ...(next ? [next] : []),
  ];
}

/** The first user message, truncated at a word. */
export function titleOf({ messages }: Pick<SessionState, "messages">): string {
  const said =
    messages
      .find(({ role }) => role === "user")
      ?.content.replace(/\s+/gu, " ")
      .trim() ?? "";
  if (said.length <= MAX_TITLE_LENGTH) return said;
  const cut = said.slice(0, MAX_TITLE_LENGTH + 1).replace(/(?<!\s)\s+\S*$/u, "");
  const kept = cut.length > MAX_TITLE_LENGTH ? cut.slice(0, MAX_TITLE_LENGTH) : cut;
  return `${kept.replace(/[\uD800-\uDBFF]$/, "").replace(/(?<![\s,;:.–-])[\s,;:.–-]+$/u, "")}…`;
}

/** A further run for a user message that came too late for this one. */
function further(session: SessionState, { runId, heard }: RunEnding): EventOf<"agent_start"> | undefined {
  const run = session.runs.get(runId);
  const late = session.messages.findLast(
    (message) => message.role === "user" && message.runId === runId && !heard.has(message.id),
  );
  if (!run || !late) return undefined;
  const { agent, agentUrl, thinking } = run;
  const next = `${runId}-then`;
  return {
    type: "agent_start",
    runId: next,
    agent,
    agentUrl,
    contextId: next,
    messageId: late.id,
    inputSnapshotHash: snapshotHash(snapshotOf(session.messages, late.id)),
    ...(thinking && { thinking }),
  };
}
