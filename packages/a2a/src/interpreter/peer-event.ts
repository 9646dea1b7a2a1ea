import type { ApprovalRequest, PlanState, Provenance, Usage } from "../extension/members.ts";
import type { Artifact, Json, Message, Metadata, TaskStatus } from "../protocol/model.ts";

/** How the content of an artifact arrives: a further piece, anew, or all that the peer has of it now, for good or not. */
export type ArtifactArrival = "append" | "replace" | "current" | "final";

/** A call of a tool as a peer reports it. */
export interface ReportedCall {
  readonly id: string;
  readonly tool: string;
  readonly arguments?: Json;
}

/** The end of a tool call as a peer reports it. */
export interface ReportedResult {
  readonly id: string;
  readonly outcome: "succeeded" | "failed" | "canceled" | "unknown";
  readonly result?: Json;
  readonly durationMs?: number;
}

interface Artifacts<Type extends string> {
  readonly type: Type;
  readonly artifact: Artifact;
  readonly arrival: ArtifactArrival;
  /** The peer has marked it as the last piece. */
  readonly isLast: boolean;
  /** Set where an agent below the peer made it. */
  readonly origin: Provenance | undefined;
}

/** What an artifact, or a piece of one, is. */
export type ArtifactEvent =
  /** `answer` is the peer's own content, `branch` that of an agent below it; both may hold text, data and files. */
  | Artifacts<"answer" | "branch" | "thought">
  /** One text whose pieces may each be an artifact of their own. */
  | Artifacts<"output-start" | "output-delta" | "output-end">
  /** Repeats another artifact as a whole; only the extension names which one. */
  | (Artifacts<"snapshot"> & { readonly snapshotOf: string | undefined })
  | Artifacts<"plan-text" | "plan-complete">
  | (Artifacts<"plan-state"> & { readonly plan: PlanState | undefined })
  | (Artifacts<"tool-call"> & { readonly call: ReportedCall })
  | (Artifacts<"tool-result"> & { readonly ended: ReportedResult });

export type ArtifactType = ArtifactEvent["type"];

interface Statuses<Type extends string> {
  readonly type: Type;
  readonly status: TaskStatus;
  readonly metadata: Metadata | undefined;
  /** Set where an agent below the peer reports. */
  readonly origin: Provenance | undefined;
  /** What the peer itself has used; what agents below it report is theirs. */
  readonly usage: Usage | undefined;
}

interface Words {
  /** Missing where the status has none, or repeats the one before. */
  readonly message: Message | undefined;
  readonly text: string;
}

/** What a status is. */
export type StatusEvent =
  | Statuses<"ended">
  /** A blocking question stops the task until it is answered; while it works, a peer asks only for approvals. */
  | (Statuses<"question"> & Words & { readonly request?: ApprovalRequest; readonly isBlocking: boolean })
  | (Statuses<"tool-notice"> &
      Words & { readonly call: ReportedCall | undefined; readonly ended: ReportedResult | undefined })
  /** Tells of the work; the text may be empty. */
  | (Statuses<"notice"> & Words)
  /** May be a piece of an answer that is spoken in statuses, unless there is an artifact with the answer. */
  | (Statuses<"token"> & Words);

/** One event of a peer's stream, as classified by the StreamInterpreter. */
export type PeerEvent =
  | ArtifactEvent
  | StatusEvent
  /** The peer answers with a message and no task. */
  | { readonly type: "reply"; readonly message: Message; readonly usage: Usage | undefined };
