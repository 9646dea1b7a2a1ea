import type { StreamState } from "../event-store.ts";
import { LruMap } from "../lru-map.ts";
import type { RunStatement } from "./postgres-database.ts";

const COLUMNS = "id, name, head, epoch, trimmed, archived, archive, deleted";
const STATES_KEPT = 10_000;

interface StateRow extends Omit<StreamState, "archive"> {
  readonly name: string;
  readonly archive: string | null;
}

/** What this node last saw of each stream. Another node may have written since: an append finds that out. */
export class KnownStreams extends LruMap<string, StreamState> {
  constructor() {
    super(STATES_KEPT);
  }

  /** The states of these streams as they are now; with `lock`, as they stay until the transaction ends. */
  async load(
    run: RunStatement,
    names: readonly string[],
    { lock }: { lock: boolean },
  ): Promise<Map<string, StreamState>> {
    const text = `SELECT ${COLUMNS} FROM streams WHERE name = ANY($1) ORDER BY id ${lock ? "FOR UPDATE" : ""}`;
    const { rows } = await run({ text, values: [names] });
    const states = rows.map(({ name, archive, ...rest }: StateRow): [string, StreamState] => {
      return [name, { ...rest, archive: archive ?? undefined }];
    });
    for (const [name, state] of states) this.set(name, state);
    return new Map(states);
  }
}
