import type { Run, SessionMessage, SessionState } from "@parley/sessions";

/** A message of a client's own account of a conversation; `File` is a file as its protocol sends it. */
export interface TranscriptMessage<File = unknown> {
  /** The client's id for it, where the protocol has ids. */
  readonly id?: string | undefined;
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly files?: readonly File[];
}

/** How far the history that a client sent along is a session's. */
export interface TranscriptMatch<Message extends TranscriptMessage> {
  /** How many of the session's messages the client has, or has passed by. */
  readonly place: number;
  /** The client's messages from the first one on that is not the session's. */
  readonly left: readonly Message[];
  /** The recorded message that the client's newest one is, and whether it says the same. */
  readonly known?: { readonly message: SessionMessage; readonly isUnchanged: boolean } | undefined;
  /** Whether the newest message can follow the session's last one. */
  readonly isAtEnd: boolean;
}

/** What a request with its history means to a session. */
export type Resolution<Message extends TranscriptMessage> =
  /** The client is where the session is: the message is posted. */
  | { readonly kind: "continue"; readonly state: SessionState }
  /** The session has the message and a run that took it: the same request again, or another answer is wanted. */
  | {
      readonly kind: "known";
      readonly state: SessionState;
      readonly message: SessionMessage;
      readonly run: Run;
    }
  /** The histories part after `place` messages: a fork takes those, then the client's own from there on. */
  | {
      readonly kind: "fork";
      readonly state: SessionState;
      readonly place: number;
      readonly left: readonly Message[];
    };
