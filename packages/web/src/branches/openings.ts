import type { ApiClient } from "@parley/client";
import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";
import { useParley } from "../app/parley.ts";
import type { Family, Member } from "./family.ts";

/** A fork begins with what it shares, framed by two events; what is its own comes after those. */
const FRAME = 2;
/** The first message is among so many events. */
const FEW = 3;

/** What each session of a family first says itself, by its id: that is what tells branches of one title apart. */
export interface Openings {
  readonly words: Accessor<ReadonlyMap<string, string>>;
  /** Why not all of them are known, where that is so. */
  readonly trouble: Accessor<string | undefined>;
}

/** Asks for them, as far as they are not known yet. */
export function createOpenings(family: Accessor<Family>): Openings {
  const { client } = useParley();
  const [words, setWords] = createSignal<ReadonlyMap<string, string>>(new Map());
  const [trouble, setTrouble] = createSignal<string>();
  createEffect(
    on(family, async (members) => {
      const abort = new AbortController();
      onCleanup(() => abort.abort());
      try {
        for (const member of members.values()) {
          // A fork whose origin is not known yet comes again when it is.
          if (words().has(member.id) || (member.parentId !== undefined && !member.origin)) continue;
          const opening = await firstWords(client, member, abort.signal);
          if (opening !== undefined) setWords((before) => new Map(before).set(member.id, opening));
        }
        setTrouble(undefined);
      } catch (error) {
        if (!abort.signal.aborted) setTrouble(error instanceof Error ? error.message : String(error));
      }
    }),
  );
  return { words, trouble };
}

async function firstWords(
  client: ApiClient,
  { id, origin }: Member,
  signal: AbortSignal,
): Promise<string | undefined> {
  const cursor = origin ? origin.messages + FRAME : 0;
  const { events } = await client.listEvents(id, { cursor: String(cursor), limit: FEW }, { signal });
  const first = events.find((event) => event.type === "user_message");
  return first?.payload.content;
}
