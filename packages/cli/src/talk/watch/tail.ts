import { type ApiClient, type DomainEvent, EventFeed } from "@parley/client";
import { EXIT, type ExitCode } from "../../command-error.ts";
import { shownKey } from "../../server-address.ts";
import { inkFor } from "../../terminal/ink.ts";
import { clipped, type Line } from "../../terminal/line.ts";
import { visibleJson } from "../../terminal/visible-json.ts";
import { BACKOFF } from "../backoff.ts";
import { eventLine } from "./event-line.ts";
import { existingSession } from "./existing-session.ts";
import { followedEvents, readEvents } from "./followed-events.ts";
import { interruption } from "./interruption.ts";

/** What is followed. */
export interface TailOptions {
  readonly client: ApiClient;
  readonly server: string;
  /** None: all that there are, and those to come. */
  readonly sessionIds: readonly string[];
  /** What happened from then on is told first, in milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly isJson: boolean;
}

/** Tells of events as they happen, until it is interrupted. */
export async function tail(options: TailOptions): Promise<ExitCode> {
  const { client, server, sessionIds, since, isJson } = options;
  using interrupted = interruption();
  const { signal } = interrupted;
  const ink = inkFor(process.stdout);
  const fitted = (line: Line) =>
    process.stdout.isTTY ? clipped(line, (process.stdout.columns || 80) - 1) : line;
  const tell = (event: DomainEvent) =>
    process.stdout.write(`${isJson ? visibleJson(event) : ink(fitted(eventLine(event)))}\n`);
  let wasLost = false;
  const onConnection = (isLive: boolean) => {
    if (isLive === wasLost)
      process.stderr.write(
        isLive ? "Connected again.\n" : "The connection is lost: reconnecting; nothing is lost.\n",
      );
    wasLost = !isLive;
  };
  for (const id of sessionIds) await existingSession(client, id);
  const known: Record<string, number> = {};
  if (since !== undefined) {
    // Of all sessions, those that have not changed since then have nothing to tell.
    for (const id of sessionIds.length > 0 ? sessionIds : await changedSince(client, since)) {
      for await (const event of readEvents(client, id, { signal })) {
        known[id] = event.index;
        if (Date.parse(event.timestamp) >= since) tell(event);
      }
    }
  }
  const feed = new EventFeed({ baseUrl: server, key: shownKey(), sessionIds, backoff: BACKOFF });
  const wanted = { wanted: sessionIds, since: known };
  for await (const event of followedEvents({ client, feed, signal, onConnection, ...wanted })) tell(event);
  return EXIT.interrupted;
}

async function changedSince(client: ApiClient, since: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { sessions, next } = await client.listSessions({
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    });
    const changed = sessions.filter(({ updatedAt }) => Date.parse(updatedAt) >= since);
    ids.push(...changed.map(({ id }) => id));
    // The newest come first.
    if (next === null || changed.length < sessions.length) return ids;
    cursor = next;
  }
}
