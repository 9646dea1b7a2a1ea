import { contextIn, type Principal, type SessionMessage, withContext } from "@parley/sessions";
import type { UploadedFile } from "../../adapter-host.ts";
import type { TranscriptMessage } from "../../conversations/transcript.ts";

/** A request of a client, whichever of OpenAI's protocols it speaks. */
export interface ChatCommand {
  readonly principal: Principal;
  readonly transcript: ClientTranscript;
  readonly agent: string;
  /** Whether the agent's reasoning is wanted. */
  readonly thinking: boolean;
  readonly key: string | undefined;
  /** The client says that it sends the request again. */
  readonly isRepeated: boolean;
  readonly target: ConversationTarget;
}

/** The session that is meant: the one with this history, one by id, which may be created, or the one of an earlier answer. */
export type ConversationTarget =
  | { readonly kind: "history" }
  | { readonly kind: "session"; readonly id: string; readonly create: boolean }
  | { readonly kind: "after"; readonly sessionId: string; readonly runId: string };

/** What answers: a run, from its beginning or after so many questions. */
export interface RunPartRef {
  readonly sessionId: string;
  readonly runId: string;
  /** The message that is answered: a run that was under way may end without having received it. */
  readonly messageId: string;
  readonly part: number;
}

/** A message without an id, with its files. */
export type ChatMessage = TranscriptMessage<UploadedFile>;

/** A conversation as a client sends it: its history and the new message. */
export interface ClientTranscript {
  /** The text of system and developer messages. */
  readonly context: string;
  readonly history: readonly ChatMessage[];
  readonly newest: ChatMessage;
}

/** The new message, with the client's instructions where the session does not have them yet. */
export function contentFor(
  messages: readonly SessionMessage[],
  { context, newest: { content } }: ClientTranscript,
): string {
  const whole = withContext(context, content);
  return contextAt(messages) === contextIn(whole).context ? content : whole;
}

/** The latest instructions of clients. */
export function contextAt(messages: readonly SessionMessage[]): string {
  const latest = messages.findLast(
    ({ role, content }) => role === "user" && contextIn(content).context !== "",
  );
  return contextIn(latest?.content ?? "").context;
}
