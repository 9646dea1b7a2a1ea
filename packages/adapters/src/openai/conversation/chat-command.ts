import type { Principal } from "@parley/sessions";
import type { UploadedFile } from "../../adapter-host.ts";

/** What a client asks for, whichever of OpenAI's protocols it speaks. */
export interface ChatCommand {
  readonly principal: Principal;
  readonly transcript: ClientTranscript;
  readonly agent: string;
  /** Whether what the agent thinks is wanted. */
  readonly thinking: boolean;
  /** What the client calls this request, however often it sends it. */
  readonly key: string | undefined;
  /** The client says that it sends it once more. */
  readonly isRepeated: boolean;
  readonly place: Place;
}

/** The session that is meant: the one with this history, one by id, which may be created, or the one of an earlier answer. */
export type Place =
  | { readonly kind: "history" }
  | { readonly kind: "session"; readonly id: string; readonly make: boolean }
  | { readonly kind: "after"; readonly sessionId: string; readonly runId: string };

/** What answers: a run, from its beginning or after so many questions. */
export interface RunPartRef {
  readonly sessionId: string;
  readonly runId: string;
  /** The message that is answered: a run that was under way may end without having received it. */
  readonly messageId: string;
  readonly part: number;
}

/** A message of a client's own account of a conversation. */
export interface TranscriptMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly files: readonly UploadedFile[];
}

/** A conversation as a client sends it: its history and the new message. */
export interface ClientTranscript {
  /** What system and developer messages say. */
  readonly context: string;
  readonly before: readonly TranscriptMessage[];
  readonly now: TranscriptMessage;
}
