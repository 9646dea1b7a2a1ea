import type { Chain } from "../chain/chain.ts";
import { Hop } from "../chain/hop.ts";
import { atMost, type Bar, print, progress, round } from "../report/bars.ts";
import { timeOf } from "./restoring.ts";
import type { Delays } from "./watchers.ts";

const WATCHERS = 2_000;
const SESSIONS = 50;
const REQUESTS = 5_000;
/** Each session has ten events a second. */
const LOAD = { tokens: 100, pace: { waitMs: 0, perSecond: 10 } };

/** Many watchers of some sessions: memory per watcher, and the delay from commit to delivery. */
export async function watching({ url, hops }: Chain): Promise<Bar[]> {
  const watchers = new Hop({ program: "sessions/watchers.ts" });
  try {
    progress(`${WATCHERS} watchers of ${SESSIONS} sessions`);
    // A warmed-up heap: memory of the first requests stays, however many watchers connect.
    await watchers.ask({ url, open: SESSIONS, sessions: SESSIONS });
    for (let n = 0; n < REQUESTS; n++) await timeOf(`${url}/api/v1/sessions?limit=20`);
    const before = await hops.supervisor.collected();
    await watchers.ask({ open: WATCHERS - SESSIONS });
    const each = ((await hops.supervisor.collected()) - before) / (WATCHERS - SESSIONS);
    progress("and now all sessions speak");
    const { deliveries, p50, p99 } = await watchers.ask<Delays>({ speak: LOAD });
    print({ watchers: WATCHERS, sessions: SESSIONS, kilobytesEach: round(each), deliveries, p50, p99 });
    return [
      atMost(`kilobytes of memory per SSE client, ${WATCHERS} on ${SESSIONS} sessions`, each, 25),
      atMost(`milliseconds from commit to client, p99, ${WATCHERS} clients`, p99, 500),
    ];
  } finally {
    await watchers.stop();
  }
}
