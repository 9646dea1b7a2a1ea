import type { Approval } from "@parley/client";
import { createContext, createEffect, createMemo, createSignal, on, useContext } from "solid-js";
import { createListMemo } from "../app/list-memo.ts";
import { createLoaded, type Loaded } from "../app/loaded.ts";
import type { Parley } from "../app/parley.ts";

/** The key under which the inbox is saved for an offline visit. */
const UI_STATE = "inbox";
const MAX_APPROVALS = 200;

/** Reads what waits whenever a conversation has changed, and keeps it for when the server is out of reach. */
export function createInbox({ client, engine, state }: Parley) {
  const [kept, setKept] = createSignal<readonly Approval[]>();
  const known = () => loaded.value() ?? kept() ?? [];
  const loaded: Loaded<readonly Approval[]> = createLoaded(async (signal) => {
    const { approvals } = await client.listApprovals(
      { open: true, limit: MAX_APPROVALS },
      { signal, attempts: 2 },
    );
    engine.saveUiState(UI_STATE, approvals);
    // The same object is the same card, with what was written in it; what waits does not change.
    return approvals.map((each) => known().find(({ id }) => id === each.id) ?? each);
  });
  void engine.loadUiState(UI_STATE).then((saved) => Array.isArray(saved) && setKept(saved));
  const isLive = createMemo(() => state().connection === "live");
  const cursor = createMemo(() => state().list.cursor);
  // Whatever is asked or answered anywhere changes the list of conversations.
  createEffect(on([cursor, isLive], ([, live]) => live && void loaded.reload(), { defer: true }));
  const answering = createListMemo(() =>
    state().queue.flatMap(({ command, phase }) =>
      command.type === "answer" && phase.name !== "refused" ? [command.approvalId] : [],
    ),
  );
  return {
    open: createListMemo(() => known().filter(({ id }) => !answering().includes(id))),
    isCurrent: () => isLive() && loaded.value() !== undefined && loaded.failure() === undefined,
    isKnown: () => (loaded.value() ?? kept()) !== undefined,
  };
}

const InboxContext = createContext<Inbox>();

export const InboxProvider = InboxContext.Provider;

/** The inbox; throws outside InboxProvider. */
export function useInbox() {
  const inbox = useContext(InboxContext);
  if (!inbox) throw new Error("This component has to be below InboxProvider");
  return inbox;
}

/** What waits for the user, over all conversations. */
export type Inbox = ReturnType<typeof createInbox>;
