import type { ApiClient, DomainEvent, Feed } from "@parley/client";
import { pages } from "../../pages.ts";
import { noSession, orNoSession } from "./existing-session.ts";

export interface FollowOptions {
  readonly client: ApiClient;
  readonly feed: Feed;
  /** Sessions whose deletion is an error. */
  readonly wanted: readonly string[];
  /** The index of the last known event by session; others are followed from now on. */
  readonly since?: Readonly<Record<string, number>>;
  readonly signal: AbortSignal;
  /** Called when the connection is lost, and when it is back. */
  readonly onConnection?: (isLive: boolean) => void;
}

const PAGE = 500;
/** Retries for about a minute while the server restarts. */
const ATTEMPTS = 12;

/** The events of sessions in order, each once, across reconnects: gaps in the feed are read. */
export async function* followedEvents(options: FollowOptions): AsyncGenerator<DomainEvent, void, undefined> {
  const { client, feed, wanted, since = {}, signal, onConnection } = options;
  const last = new Map(Object.entries(since));
  async function* missing(sessionId: string): AsyncGenerator<DomainEvent> {
    for await (const event of readEvents(client, sessionId, { after: last.get(sessionId) ?? 0, signal })) {
      last.set(sessionId, event.index);
      yield event;
    }
  }
  for await (const item of feed.read(signal)) {
    switch (item.type) {
      case "opened":
        onConnection?.(true);
        if (!item.isResumed) for (const sessionId of [...last.keys()]) yield* missing(sessionId);
        for (const [sessionId, index] of Object.entries(item.places))
          if (!last.has(sessionId)) last.set(sessionId, index);
        break;
      case "event": {
        const { sessionId, index } = item.event;
        const known = last.get(sessionId) ?? index - 1;
        if (index > known + 1) yield* missing(sessionId);
        if (index <= (last.get(sessionId) ?? known)) break;
        last.set(sessionId, index);
        yield item.event;
        break;
      }
      case "reset":
        // A record that was restored from a backup is shorter than before.
        if (item.index < (last.get(item.sessionId) ?? 0)) last.set(item.sessionId, item.index);
        for (const sessionId of item.sessionId === "*" ? [...last.keys()] : [item.sessionId])
          yield* missing(sessionId);
        break;
      case "gone":
        last.delete(item.sessionId);
        if (wanted.includes(item.sessionId)) throw noSession(item.sessionId);
        break;
      case "closed":
        onConnection?.(false);
        break;
      case "changed":
      case "leading":
        break;
    }
  }
}

/** The events of a session after an index. */
export async function* readEvents(
  client: ApiClient,
  sessionId: string,
  { after = 0, signal }: { readonly after?: number; readonly signal?: AbortSignal } = {},
): AsyncGenerator<DomainEvent, void, undefined> {
  const options = { attempts: ATTEMPTS, ...(signal && { signal }) };
  const read = (query: { readonly cursor?: string }) =>
    orNoSession(sessionId, client.listEvents(sessionId, { limit: PAGE, ...query }, options));
  for await (const { events } of pages(read, after > 0 ? String(after) : undefined)) yield* events;
}
