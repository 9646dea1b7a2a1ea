import type { EventOf, StoredFile } from "./session-event.ts";

/** On whose behalf something is done: all that is read and written is this owner's, in this workspace. */
export interface Principal {
  readonly owner: string;
  readonly workspace: string;
}

/** A run that is to start. */
export interface RunRequest
  extends Readonly<
    Pick<EventOf<"agent_start">, "runId" | "agent" | "agentUrl" | "contextId" | "traceparent">
  > {
  /** Whether to record the agent's thoughts; undefined: as the session's configuration says. */
  readonly thinking?: boolean | undefined;
}

/** A message of the user's, and the run that is to answer it. */
export interface AskedMessage {
  readonly messageId: string;
  readonly content: string;
  readonly files?: readonly StoredFile[] | undefined;
  readonly run: RunRequest;
}

/** A message of a client's own history, which a fork has in addition to those of its parent. */
export interface ToldMessage {
  /** The client's own id; no other message of the session may have it. */
  readonly id?: string | undefined;
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly files?: readonly StoredFile[] | undefined;
}

/** Where a session is forked: after so many messages, after a message, at an event, or as it is. */
export type ForkPoint =
  | { readonly messages: number }
  | { readonly messageId: string }
  | { readonly eventIndex: number }
  | "end";

/** What a person, or a program on their behalf, wants to happen. The caller chooses ids, so that a repeated command is the same. */
export type SessionCommand =
  | {
      readonly type: "create";
      readonly workspace: string;
      readonly owner: string;
      readonly title?: string | undefined;
      readonly agent?: string | undefined;
      readonly config?: Readonly<Record<string, unknown>> | undefined;
      readonly contextId?: string | undefined;
    }
  | { readonly type: "rename"; readonly title: string; readonly by?: "user" | "first exchange" }
  | (AskedMessage & {
      readonly type: "postMessage";
      /** The agent has the message already: it is not passed on to the active run, and this run waits for its turn. */
      readonly hasBegun?: boolean | undefined;
      /** The number of messages that the session must still have. */
      readonly after?: number | undefined;
    })
  /** A fork with all before the message, the edit in its place, and a run that answers it. */
  | {
      readonly type: "edit";
      readonly messageId: string;
      readonly content: string;
      readonly fork: ForkRequest;
      readonly run: RunRequest;
    }
  /** A fork, and a message that continues it, if any. */
  | {
      readonly type: "fork";
      readonly at: ForkPoint;
      readonly fork: ForkRequest;
      /** The messages from there on, by the client's own history. */
      readonly told?: readonly ToldMessage[] | undefined;
      readonly ask?: AskedMessage | undefined;
    }
  /** Several forks of the session as it is, one for each agent, all of them or none (+4). */
  | {
      readonly type: "compare";
      readonly branches: readonly { readonly fork: ForkRequest; readonly ask: AskedMessage }[];
    }
  /** A fork up to the user's message that a run answered, and another run on the same snapshot. */
  | { readonly type: "retry"; readonly runId: string; readonly fork: ForkRequest; readonly run: RunRequest }
  | { readonly type: "cancelRun"; readonly runId: string; readonly reason?: string | undefined }
  | (Readonly<Pick<EventOf<"approval_answered">, "approvalId" | "decision" | "text" | "arguments">> & {
      readonly type: "answerApproval";
      /** The tool may be called in this session without asking from now on. */
      readonly always?: boolean | undefined;
    })
  /** Several of the following at once, all of them or none. */
  | {
      readonly type: "change";
      readonly title?: string | undefined;
      readonly agent?: string | undefined;
      readonly config?: Readonly<Record<string, unknown>> | undefined;
      readonly archived?: boolean | undefined;
      readonly now: string;
    }
  | { readonly type: "switchAgent"; readonly agent: string }
  | { readonly type: "configure"; readonly config: Readonly<Record<string, unknown>> }
  | { readonly type: "archive" }
  | { readonly type: "restore"; readonly now: string }
  | { readonly type: "delete"; readonly until: string };

export interface ForkRequest {
  readonly childId: string;
  readonly title?: string | undefined;
  /** Whether the parent's active run goes on; otherwise an edit cancels it. */
  readonly orphan?: boolean | undefined;
}

/** Why a command cannot be carried out; `code` is for programs. */
export class CommandRefusedError extends Error {
  readonly code: "not_found" | "conflict" | "gone" | "invalid";
  constructor(code: CommandRefusedError["code"], message: string) {
    super(message);
    this.code = code;
  }
}
