import type {
  Approval,
  Configuration,
  DomainMessage,
  Run,
  SessionChild,
  SessionStatus,
  ToolCall,
} from "../api/api-types.ts";
import type { PlanStep } from "../api/domain-event.ts";

/** What was said in one artifact of a run so far. */
export interface StreamingText {
  readonly channel: "answer" | "branch" | "plan" | "thinking";
  readonly text: string;
  readonly name?: string;
  readonly agent?: string;
  /** Whether more may come. */
  readonly isOpen: boolean;
}

/** A use of a tool: by whom, since when, and how long it took. */
export interface RecordedCall extends ToolCall {
  readonly agent?: string;
  /** The call by which that agent was asked, and its task. */
  readonly parentCallId?: string;
  readonly taskId?: string;
  readonly startedAt?: string;
  readonly durationMs?: number;
}

/** What a run brought besides words, as it was last told: parts as A2A has them, large ones in a blob. */
export interface RecordedArtifact {
  readonly name?: string;
  readonly agent?: string;
  readonly parts: readonly unknown[];
}

/** A run with what it has brought so far. */
export interface RunRecord extends Omit<Run, "text" | "plan"> {
  /** By artifact, in the order in which they began. */
  readonly texts: Readonly<Record<string, StreamingText>>;
  readonly plan?: readonly PlanStep[];
  readonly toolCalls: readonly RecordedCall[];
  /** By id, in the order in which they came; undefined: there is none. */
  readonly artifacts?: Readonly<Record<string, RecordedArtifact>>;
  /** What it last said about itself. */
  readonly activity?: string;
}

/** A session as its events tell: the same events always lead to the same record. Plain data, so that it can be kept. */
export interface SessionRecord {
  readonly id: string;
  /** The index of the last event that is in it; 0: none is. */
  readonly index: number;
  readonly title: string;
  readonly status: SessionStatus;
  readonly agent?: string;
  readonly config: Configuration;
  readonly parentId?: string;
  readonly restorableUntil?: string;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly children: readonly SessionChild[];
  readonly messages: readonly DomainMessage[];
  /** The runs that have ended. */
  readonly runs: Readonly<Record<string, RunRecord>>;
  /** The runs that are under way, apart from the others: they change with every word, and what changes is copied. */
  readonly active: Readonly<Record<string, RunRecord>>;
  readonly approvals: Readonly<Record<string, Approval>>;
  /** What the answers brought that a fork began with, by their runs, which are in other sessions; undefined: nothing. */
  readonly inherited?: Readonly<Record<string, NonNullable<RunRecord["artifacts"]>>>;
}

/** A session of which nothing is known. */
export function emptyRecord(id: string): SessionRecord {
  return {
    id,
    index: 0,
    title: "",
    status: "active",
    config: {},
    children: [],
    messages: [],
    runs: {},
    active: {},
    approvals: {},
  };
}

/** What a run brought besides words, wherever it ran. */
export function artifactsOf(
  record: Pick<SessionRecord, "runs" | "active" | "inherited">,
  runId: string,
): NonNullable<RunRecord["artifacts"]> {
  return (record.active[runId] ?? record.runs[runId])?.artifacts ?? record.inherited?.[runId] ?? {};
}

/** The run that is under way, if one is. */
export function activeRunIn({ active }: SessionRecord): RunRecord | undefined {
  return Object.values(active)[0];
}

export function runOf({ runs, active }: SessionRecord, runId: string): RunRecord | undefined {
  return active[runId] ?? runs[runId];
}
