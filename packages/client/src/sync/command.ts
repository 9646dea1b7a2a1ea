import type { ApiFile } from "../api/api-types.ts";
import type {
  Answer,
  ForkPoint,
  MessageEdit,
  NewMessage,
  NewSession,
  Retry,
  SessionChange,
} from "../api/request-types.ts";

type Chosen<Request> = Omit<Request, "id">;

/** A message; `attached` describes its files while it waits to be sent. */
export type Message = Chosen<NewMessage> & { readonly attached?: readonly ApiFile[] };

/** A change that the user wants. The client chooses new ids, so that the result can be shown at once. */
export type Command = { readonly sessionId: string } & (
  | ({ readonly type: "create" } & Chosen<NewSession>)
  | ({ readonly type: "send"; readonly messageId: string } & Message)
  | ({ readonly type: "edit"; readonly childId: string; readonly messageId: string } & Chosen<MessageEdit>)
  | ({ readonly type: "fork"; readonly childId: string; readonly title?: string } & ForkPoint)
  | ({ readonly type: "retry"; readonly childId: string; readonly runId: string } & Chosen<Retry>)
  | { readonly type: "cancel"; readonly runId: string; readonly reason?: string }
  | ({ readonly type: "change" } & SessionChange)
  | { readonly type: "delete" }
  | { readonly type: "restore" }
  | ({ readonly type: "answer"; readonly approvalId: string } & Answer)
);

/** Why a command was refused for good, as data. */
export interface Refusal {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly field?: string;
}

/**
 * Where a command is:
 *
 *     waiting ──▶ sending ──▶ acknowledged ──▶ (gone, once what it did is in the record)
 *        ▲           │  └───▶ refused ──▶ (waiting again, or gone, as the user says)
 *        └─ resting ◀┘
 */
export type CommandPhase =
  /** For the network, or for an earlier command. */
  | { readonly name: "waiting" }
  | { readonly name: "sending" }
  /** It failed on the way, and is tried again after a while. */
  | { readonly name: "resting" }
  | { readonly name: "acknowledged" }
  | { readonly name: "refused"; readonly refusal: Refusal };

/** A command in the queue. Its key never changes, so that however often it is sent it happens once (invariant 19). */
export interface QueuedCommand {
  readonly key: string;
  /** Its place in the queue, also after it was kept and loaded. */
  readonly place: number;
  readonly command: Command;
  readonly queuedAt: string;
  readonly attempt: number;
  readonly phase: CommandPhase;
  /** The user gave it in another tab. */
  readonly isElsewhere?: true;
  /** It waits until no agent is at work in its session. */
  readonly isNext?: true;
}

/** The session that a command makes, if it makes one. */
export function madeBy(command: Command): string | undefined {
  if (command.type === "create") return command.sessionId;
  return "childId" in command ? command.childId : undefined;
}

/** Whether the command waits until no agent is at work: it is not said yet, and may be taken back. */
export function isToCome({ isNext, phase }: QueuedCommand): boolean {
  return isNext === true && phase.name === "waiting";
}

/** Whether the later command has to wait for the earlier one. */
export function holdsBack(earlier: QueuedCommand, later: QueuedCommand): boolean {
  const { phase, command } = earlier;
  if (phase.name === "acknowledged") return false;
  // What waits for the end of a run must not hold back what ends it.
  if (isToCome(earlier) && !later.isNext) return false;
  if (madeBy(command) === later.command.sessionId) return true;
  return phase.name !== "refused" && command.sessionId === later.command.sessionId;
}
