// The watchers, a process of its own. `open` opens so many event streams, spread over the sessions; `speak` has every
// session answer at that pace, and replies with how long after their commit the events were here.
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { type Load, words } from "../chain/wording.ts";
import { percentile } from "../report/bars.ts";

interface Order {
  readonly url?: string;
  readonly sessions?: number;
  readonly open?: number;
  readonly speak?: Load;
}

/** In milliseconds. */
export interface Delays {
  readonly deliveries: number;
  readonly p50: number;
  readonly p99: number;
  /** The 99th percentile of the events committed in each second since the answers began. */
  readonly p99BySecond: readonly number[];
}

let base = "";
const sessions: string[] = [];
const streams: IncomingMessage[] = [];
const delays: number[] = [];
const bySecond: number[][] = [];
let began = 0;
let ended = 0;

process.on("message", async ({ url, sessions: count = 0, open = 0, speak }: Order) => {
  if (url) base = `${url}/api/v1`;
  while (sessions.length < count) sessions.push((await post("/sessions", {})).session.id);
  for (let n = 0; n < open; n++) streams.push(await watch(sessions[streams.length % sessions.length] ?? ""));
  if (speak) {
    began = Date.now();
    await Promise.all(sessions.map((id) => post(`/sessions/${id}/messages`, { content: words(speak) })));
    while (ended < streams.length) await once(process, "watched");
  }
  const at = (share: number) => percentile(delays, share);
  const p99BySecond = Array.from(bySecond, (second = []) => percentile(second, 0.99));
  process.send?.({ deliveries: delays.length, p50: at(0.5), p99: at(0.99), p99BySecond } satisfies Delays);
});

async function post(path: string, body: object): Promise<{ session: { id: string } }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as { session: { id: string } };
}

async function watch(session: string): Promise<IncomingMessage> {
  const request = get(`${base}/events?session_ids[]=${session}`, { agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`A watcher got ${response.statusCode}`);
  response.setEncoding("utf8").on("data", (text: string) => {
    const now = Date.now();
    for (const [, at = ""] of text.matchAll(/"timestamp":"([^"]+)"/g)) delayed(Date.parse(at), now);
    if (!text.includes('"type":"agent_complete"')) return;
    ended++;
    process.emit("watched" as never);
  });
  return response;
}

function delayed(at: number, now: number): void {
  delays.push(now - at);
  const second = Math.max(0, Math.floor((at - began) / 1_000));
  bySecond[second] ??= [];
  bySecond[second].push(now - at);
}
