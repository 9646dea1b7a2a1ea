import type { Message } from "@parley/a2a";
import type { BlobStore } from "@parley/journal";
import type { EventOf } from "../domain/session-event.ts";
import type { SessionMessage, SessionState } from "../domain/session-state.ts";
import { answerMessage, furtherMessage } from "./run-message.ts";
import type { RunTransform } from "./transform/run-transform.ts";

/** What a person says to a run that is under way: an answer to its question, or a further message. */
export type Saying =
  | { readonly id: string; readonly answer: EventOf<"approval_answered"> }
  | { readonly id: string; readonly message: SessionMessage };

/** What was said to a run and has not reached its agent, answers first. */
export function sayings(state: SessionState, runId: string, told: ReadonlySet<string>): readonly Saying[] {
  const answers = [...state.approvals.values()].flatMap(({ id, answer }): Saying[] =>
    answer?.runId === runId && !told.has(id) ? [{ id, answer }] : [],
  );
  const messages = state.messages.flatMap((message): Saying[] =>
    message.role === "user" && message.runId === runId && !told.has(message.id)
      ? [{ id: message.id, message }]
      : [],
  );
  return [...answers, ...messages];
}

/** The saying as the agent gets it. */
export async function messageOf(saying: Saying, transform: RunTransform, blobs: BlobStore): Promise<Message> {
  if ("message" in saying) return furtherMessage(saying.message, blobs);
  return answerMessage(saying.answer, transform.question(saying.id));
}

/** The user answered in the conversation what the agent had asked. */
export function approvalAnswered(
  runId: string,
  approvalId: string,
  { message }: Extract<Saying, { message: unknown }>,
): EventOf<"approval_answered"> {
  return { type: "approval_answered", runId, approvalId, decision: "answered", text: message.content };
}
