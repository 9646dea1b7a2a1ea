import type { EventPayloads, Session } from "@parley/client";

/** Where a fork comes from: its parent, how many messages the two share, and why it was made. */
export type Origin = NonNullable<EventPayloads["session_created"]["parent"]>;

/** A session of a family; the one that all others come from has no origin. */
export interface Member
  extends Pick<Session, "id" | "title" | "createdAt" | "updatedAt" | "metadata" | "parentId"> {
  readonly origin?: Origin;
}

/** A session with all that were forked from it, and from which it was forked, by id. */
export type Family = ReadonlyMap<string, Member>;

type Rows = Readonly<Record<string, Session>>;

/** The sessions of one family, the oldest first. One that was deleted is not among them, but still unites its forks. */
export function relativesOf(rows: Rows, id: string): readonly Session[] {
  const root = rootOf(rows, id);
  return Object.values(rows)
    .filter((row) => (row.parentId === undefined ? row.id === root : rootOf(rows, row.id) === root))
    .sort((one, other) => one.createdAt.localeCompare(other.createdAt) || one.id.localeCompare(other.id));
}

/** A session in a tree, with those that were forked from it. */
export interface Branch {
  readonly member: Member;
  readonly forks: readonly Branch[];
}

/** The family as trees: one, unless the session that they all come from was deleted. */
export function treeOf(family: Family): readonly Branch[] {
  const forks = Map.groupBy(family.values(), ({ parentId }) =>
    parentId !== undefined && family.has(parentId) ? parentId : undefined,
  );
  const below = (id: string | undefined): readonly Branch[] =>
    (forks.get(id) ?? []).map((member) => ({ member, forks: below(member.id) }));
  return below(undefined);
}

function rootOf(rows: Rows, id: string): string {
  let root = id;
  for (let parent = rows[root]?.parentId; parent !== undefined; parent = rows[root]?.parentId) root = parent;
  return root;
}
