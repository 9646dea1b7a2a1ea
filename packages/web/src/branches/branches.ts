import type { ApiClient, Session } from "@parley/client";
import {
  type Accessor,
  createContext,
  createEffect,
  createMemo,
  createSignal,
  on,
  onCleanup,
  useContext,
} from "solid-js";
import { createListMemo } from "../app/list-memo.ts";
import { reasonOf } from "../app/loaded.ts";
import { useParley } from "../app/parley.ts";
import { type Family, type Origin, relativesOf } from "./family.ts";

/** A fork's origin never changes, so it is loaded once. */
const [origins, setOrigins] = createSignal<ReadonlyMap<string, Origin>>(new Map());

/** The family of a session, kept up as branches come and go. */
export function createBranches(id: Accessor<string>) {
  const { client, state } = useParley();
  const [trouble, setTrouble] = createSignal<string>();
  const rows = createMemo(() => state().list.sessions);
  const relatives = createListMemo(() => relativesOf(rows(), id()));
  const family = createMemo((): Family => {
    const known = origins();
    return new Map(relatives().map((row) => [row.id, withOrigin(row, known.get(row.id))]));
  });
  const queue = createMemo(() => state().queue);
  const refusedEdits = createMemo(() =>
    queue().flatMap(({ command, phase }) =>
      command.type === "edit" && phase.name === "refused" && command.sessionId === id() ? [command] : [],
    ),
  );
  const refusedEdit = (messageId: string) => refusedEdits().findLast((edit) => edit.messageId === messageId);
  createEffect(
    on(relatives, async (sessions) => {
      const abort = new AbortController();
      onCleanup(() => abort.abort());
      try {
        for (const { id: forkId, parentId } of sessions)
          if (parentId !== undefined && !origins().has(forkId))
            await learnOrigin(client, forkId, abort.signal);
        setTrouble(undefined);
      } catch (error) {
        if (!abort.signal.aborted) setTrouble(reasonOf(error));
      }
    }),
  );
  return { id, family, trouble, refusedEdit };
}

const BranchesContext = createContext<Branches>();

export const BranchesProvider = BranchesContext.Provider;

/** The branches of the conversation; undefined where it is read-only. */
export function useBranches(): Branches | undefined {
  return useContext(BranchesContext);
}

async function learnOrigin(client: ApiClient, sessionId: string, signal: AbortSignal): Promise<void> {
  const { events } = await client.listEvents(sessionId, { limit: 1 }, { signal });
  const [created] = events;
  const origin = created?.type === "session_created" ? created.payload.parent : undefined;
  if (origin) setOrigins((before) => new Map(before).set(sessionId, origin));
}

function withOrigin(row: Session, origin: Origin | undefined) {
  return origin ? { ...row, origin } : row;
}

/** The branches of the conversation that a page shows. */
export type Branches = ReturnType<typeof createBranches>;
