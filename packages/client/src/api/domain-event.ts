import type { Configuration, Decision, EditRecord } from "./api-types.ts";
import type { DomainEvent as ApiEvent } from "./generated.ts";

interface EventFile {
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  readonly blob: string;
}

interface OfRun {
  readonly runId: string;
}

interface OfArtifact extends OfRun {
  readonly artifactId: string;
}

/** Call ids are unique only within an agent: all four fields together identify a call. */
interface OfCall extends OfRun {
  readonly callId: string;
  readonly agent?: string;
  /** The call by which that agent was asked, and its task. */
  readonly parentCallId?: string;
  readonly taskId?: string;
}

type ForkReason = "user_edit" | "branch" | "retry";

export interface PlanStep {
  readonly id: string;
  readonly title: string;
  readonly agent?: string;
  readonly dependencies: readonly string[];
  readonly state: "pending" | "working" | "waiting" | "completed" | "failed" | "canceled" | "skipped";
}

/** What each type of event tells. */
export interface EventPayloads {
  session_created: {
    readonly title: string;
    readonly agent?: string;
    readonly config?: Configuration;
    readonly parent?: { readonly sessionId: string; readonly messages: number; readonly reason: ForkReason };
  };
  session_renamed: { readonly title: string; readonly by: "user" | "first exchange" };
  agent_switched: { readonly agent: string };
  config_changed: { readonly config: Configuration };
  user_message: {
    readonly messageId: string;
    readonly content: string;
    readonly files?: readonly EventFile[];
    readonly runId?: string;
    readonly editHistory?: readonly EditRecord[];
  };
  agent_message: OfRun & {
    readonly messageId: string;
    readonly content: string;
    readonly files?: readonly EventFile[];
    readonly agent?: string;
  };
  agent_start: OfRun & {
    readonly agent: string;
    readonly agentUrl: string;
    readonly contextId: string;
    readonly inputSnapshotHash: string;
    readonly messageId: string;
    readonly retryOf?: string;
  };
  agent_status: OfRun & { readonly state: string; readonly text?: string; readonly agent?: string };
  agent_token_start: OfArtifact & {
    readonly name?: string;
    readonly agent?: string;
    /** The call by which that agent was asked. */
    readonly parentCallId?: string;
    readonly channel: "answer" | "branch" | "plan" | "thinking";
    readonly restart?: boolean;
  };
  agent_token: OfArtifact & { readonly text: string };
  agent_token_end: OfArtifact;
  agent_tool_call: OfCall & { readonly tool: string; readonly arguments?: unknown };
  agent_tool_result: OfCall & {
    readonly outcome: "succeeded" | "failed" | "canceled" | "unknown";
    readonly result?: unknown;
    readonly text?: string;
    readonly durationMs?: number;
  };
  agent_plan: OfRun & { readonly steps: readonly PlanStep[] };
  agent_artifact: OfArtifact & {
    readonly name?: string;
    readonly parts: readonly unknown[];
    readonly agent?: string;
    readonly parentCallId?: string;
  };
  approval_requested: OfRun & {
    readonly approvalId: string;
    readonly question: string;
    readonly agent?: string;
    readonly parentCallId?: string;
    readonly tool?: string;
    readonly arguments?: unknown;
  };
  approval_answered: OfRun & {
    readonly approvalId: string;
    readonly decision: Decision;
    readonly text?: string;
    readonly arguments?: unknown;
    /** Nobody was asked: the session allows the tool always. */
    readonly always?: true;
  };
  agent_complete: OfRun & {
    readonly state: "completed" | "failed";
    readonly messageId?: string;
    readonly content: string;
    readonly reason?: string;
    readonly usage?: Readonly<Record<string, unknown>>;
  };
  agent_cancelled: OfRun & { readonly messageId?: string; readonly content: string; readonly reason: string };
  edit: { readonly messageId: string; readonly content: string; readonly childId: string };
  fork: { readonly parentId: string; readonly messages: number };
  session_forked: { readonly childId: string; readonly reason: ForkReason; readonly messages: number };
  session_archived: object;
  session_restored: object;
  session_deleted: { readonly until: string };
}

/** Every type of event that the API has; one without a payload above does not compile. */
export type DomainEventType = ApiEvent["type"];

/** An event of one type; its index is its place in its session: 1, 2, 3 … without a gap. */
export interface EventOf<Type extends DomainEventType> extends Omit<ApiEvent, "type" | "payload"> {
  readonly type: Type;
  readonly payload: EventPayloads[Type];
}

/** Something that happened in a session; a newer server may send types that are not listed. */
export type DomainEvent = { [Type in DomainEventType]: EventOf<Type> }[DomainEventType];

/** Whether this can be taken for an event: all that is relied on without looking again. */
export function isDomainEvent(value: unknown): value is DomainEvent {
  if (typeof value !== "object" || value === null) return false;
  const { sessionId, index, type, payload } = value as Partial<Record<string, unknown>>;
  return (
    typeof sessionId === "string" &&
    Number.isSafeInteger(index) &&
    typeof type === "string" &&
    typeof payload === "object" &&
    payload !== null
  );
}
