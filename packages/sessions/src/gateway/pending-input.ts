import type { A2AClient, Message } from "@parley/a2a";
import type { BlobStore } from "@parley/journal";
import type { EventOf } from "../domain/session-event.ts";
import type { SessionMessage, SessionState } from "../domain/session-state.ts";
import { answerMessage, furtherMessage } from "./run-message.ts";
import type { RunTransform } from "./transform/run-transform.ts";

/** What a person says to a run that is under way: an answer to its question, or a further message. */
export type PendingInput =
  | { readonly id: string; readonly answer: EventOf<"approval_answered"> }
  | { readonly id: string; readonly message: SessionMessage };

/** What was said to a run and has not reached its agent, answers first. */
export function pendingInputs(
  state: SessionState,
  runId: string,
  told: ReadonlySet<string>,
): readonly PendingInput[] {
  const answers = [...state.approvals.values()].flatMap(({ id, answer }): PendingInput[] =>
    answer?.runId === runId && !told.has(id) ? [{ id, answer }] : [],
  );
  const messages = state.messages.flatMap((message): PendingInput[] =>
    message.role === "user" && message.runId === runId && !told.has(message.id)
      ? [{ id: message.id, message }]
      : [],
  );
  return [...answers, ...messages];
}

/** The saying as the agent gets it. */
export async function messageOf(
  saying: PendingInput,
  transform: RunTransform,
  { blobs, client }: { readonly blobs: BlobStore; readonly client: A2AClient },
): Promise<Message> {
  if ("message" in saying) return furtherMessage(saying.message, blobs, client);
  return answerMessage(saying.answer, transform.question(saying.id));
}

/** The user answered in the conversation what the agent had asked. */
export function approvalAnswered(
  runId: string,
  approvalId: string,
  { message }: Extract<PendingInput, { message: unknown }>,
): EventOf<"approval_answered"> {
  return { type: "approval_answered", runId, approvalId, decision: "answered", text: message.content };
}
