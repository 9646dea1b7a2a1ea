import { ApiClient, ApiError, browserConnectivity, EventFeed, type SessionRecord } from "@parley/client";
import { type Accessor, createMemo, createSignal, onCleanup } from "solid-js";
import { SERVER_URL } from "../app/base-path.ts";
import { EventLog } from "../replay/event-log.ts";

const PAGE = 1_000;

/** A session that a link opens, as it grows. */
export interface SharedSession {
  /** A signal: the log is the same one, and has more in it each time. */
  readonly log: Accessor<EventLog>;
  /** Undefined until something of it is there. */
  readonly record: Accessor<SessionRecord | undefined>;
  /** Why nothing more comes: the link does not hold, or what the server said. */
  readonly end: Accessor<{ readonly isGone: boolean; readonly reason: string } | undefined>;
}

/** Reads the session behind a token, and follows it. */
export function createSharedSession(token: string): SharedSession {
  const headers = { "X-Share-Token": token };
  const client = new ApiClient({ baseUrl: SERVER_URL, headers });
  const abort = new AbortController();
  onCleanup(() => abort.abort());
  const [log, setLog] = createSignal(new EventLog(""), { equals: false });
  const [end, setEnd] = createSignal<{ isGone: boolean; reason: string }>();
  const add = (events: Parameters<EventLog["append"]>[0]) =>
    setLog((known) => {
      const [first] = events;
      const filled = known.last === 0 && first ? new EventLog(first.sessionId) : known;
      filled.append(events);
      return filled;
    });
  /** All that came after what is known. */
  const catchUp = async () => {
    for (let more: string | null = ""; more !== null; ) {
      const page = await client.listSharedEvents(
        { cursor: String(log().last), limit: PAGE },
        { signal: abort.signal },
      );
      add(page.events);
      more = page.next;
    }
  };
  const follow = async () => {
    await catchUp();
    const connectivity = browserConnectivity(window);
    const feed = new EventFeed({ baseUrl: SERVER_URL, path: "/shared/stream", headers, connectivity });
    for await (const item of feed.read(abort.signal)) {
      if (item.type === "event" && item.event.index === log().last + 1) add([item.event]);
      // What came between the reading and the stream, or is not known to lead on, is read.
      else if (item.type === "opened" || item.type === "reset" || item.type === "event") await catchUp();
    }
  };
  follow().catch((error: unknown) => {
    if (abort.signal.aborted) return;
    const isGone = error instanceof ApiError && [401, 404, 422].includes(error.status);
    setEnd({ isGone, reason: error instanceof Error ? error.message : String(error) });
  });
  const record = createMemo(() => (log().last === 0 ? undefined : log().recordAt(log().last)));
  return { log, record, end };
}
