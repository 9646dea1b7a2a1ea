import { INITIAL_STATE, type SessionRecord, type SyncState } from "@parley/client";
import type { Accessor } from "solid-js";
import { type SessionView, sessionView } from "../app/session-view.ts";

/** A session as it was, in the same signals as one that goes on: what draws the one draws the other. */
export function pastView(id: string, record: Accessor<SessionRecord>): SessionView {
  const state = (): SyncState => ({
    ...INITIAL_STATE,
    open: { [id]: { record: record(), isForsaken: false, freshness: { name: "current" } } },
  });
  return { ...sessionView(state, () => id), at: () => Date.parse(record().updatedAt ?? "") || 0 };
}
