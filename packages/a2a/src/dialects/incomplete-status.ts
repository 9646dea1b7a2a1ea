import type { Message, Metadata, TaskState, TaskStatus } from "../protocol/model.ts";
import { carry, uncarry } from "./carried.ts";

/** A status as a peer sent it: perhaps without a time, perhaps in an unspecified state. */
export interface IncompleteStatus {
  readonly state?: TaskState | undefined;
  readonly message?: Message;
  readonly timestamp?: string;
}

/** Fills in a missing time (now) or unknown state (working), and notes in the metadata that it did. */
export function completeStatus<T extends { status: IncompleteStatus; metadata?: Metadata }>(
  value: T,
): Omit<T, "status"> & { status: TaskStatus } {
  const { state, message, timestamp } = value.status;
  const status = {
    state: state ?? "TASK_STATE_WORKING",
    ...(message && { message }),
    timestamp: timestamp ?? new Date().toISOString(),
  } as const;
  if (state !== undefined && timestamp !== undefined) return { ...value, status };
  const notes = {
    peerState: state === undefined ? "unknown" : undefined,
    timestamp: timestamp === undefined ? "received" : undefined,
  };
  return { ...value, status, metadata: carry(value.metadata, notes) };
}

/** Takes out the notes that an encoder undoes: a time the peer never sent, a `final` of its own opinion. */
export function takeNotes(metadata: Metadata | undefined): {
  readonly withoutTime: boolean;
  readonly final: boolean | undefined;
  readonly metadata: Metadata | undefined;
} {
  const { carried, metadata: rest } = uncarry(metadata, ["timestamp", "final"]);
  return {
    withoutTime: carried.timestamp === "received",
    final: typeof carried.final === "boolean" ? carried.final : undefined,
    metadata: rest,
  };
}
