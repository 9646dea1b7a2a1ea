import type { Chain } from "../chain/chain.ts";
import { type Bar, median, percentile, print, progress, round } from "../report/bars.ts";
import { longSession } from "./long-session.ts";
import { timeOf } from "./restoring.ts";

const SESSIONS = 10_000;
const AT_ONCE = 10;
const READINGS = 30;

/** How long a page of the list and a search take among 10,000 sessions. */
export async function listing({ url }: Chain): Promise<Bar[]> {
  const api = `${url}/api/v1`;
  progress(`${SESSIONS} sessions`);
  const exchange = longSession(1).filter((event) => (event as { type: string }).type !== "agent_token");
  for (let n = 0; n < SESSIONS; n += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, place) => imported(api, exchange, n + place)));
    if (n % 1_000 === 0) progress(`${n} of ${SESSIONS}`);
  }
  await report("the first page of the list", `${api}/sessions?limit=50`);
  await report("a search for a word of one title", `${api}/search?q=title4711`);
  await report("a search for a word of every session", `${api}/search?q=question`);
  return [];
}

async function imported(api: string, exchange: readonly object[], n: number): Promise<void> {
  const [created, ...rest] = exchange as { payload: object }[];
  const titled = { ...created, payload: { ...created?.payload, title: `A session, title${n}` } };
  const content = [titled, ...rest].map((event) => JSON.stringify(event)).join("\n");
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${api}/sessions/import`, {
    method: "POST",
    headers,
    body: JSON.stringify({ content }),
  });
  if (!response.ok) throw new Error(await response.text());
}

async function report(what: string, address: string): Promise<void> {
  const times: number[] = [];
  for (let n = 0; n < READINGS; n++) times.push(await timeOf(address));
  print({
    ...{ what, sessions: SESSIONS },
    milliseconds: { median: round(median(times)), percentile95: round(percentile(times, 0.95)) },
  });
}
