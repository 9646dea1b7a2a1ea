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
import { reasonOf } from "../app/loaded.ts";
import { useParley } from "../app/parley.ts";
import { sameItems } from "../app/same-items.ts";
import { type Family, type Origin, relativesOf } from "./family.ts";

/** The branches of the conversation that a page shows. */
export interface Branches {
  readonly id: Accessor<string>;
  readonly family: Accessor<Family>;
  /** Why not all of the family is known, where that is so. */
  readonly trouble: Accessor<string | undefined>;
  /** The edit of a message that the server has refused, until it is saved again or given up. */
  refusedEdit(messageId: string): RefusedEdit | undefined;
}

/** What the user wanted a message to be. */
interface RefusedEdit {
  readonly messageId: string;
  /** Of the branch that it would have made. */
  readonly childId: string;
  readonly content: string;
}

/** Where a fork comes from never changes, so it is asked for once. */
const [origins, setOrigins] = createSignal<ReadonlyMap<string, Origin>>(new Map());

/** The family of a session, kept up as branches come and go. */
export function createBranches(id: Accessor<string>): Branches {
  const { client, state } = useParley();
  const [trouble, setTrouble] = createSignal<string>();
  const rows = createMemo(() => state().list.sessions);
  const relatives = createMemo(() => relativesOf(rows(), id()), [], { equals: sameItems });
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

/** Gives all below it the branches of the conversation in which they are. */
export const BranchesProvider = BranchesContext.Provider;

/** The branches of the conversation; undefined where it can only be looked at. */
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
