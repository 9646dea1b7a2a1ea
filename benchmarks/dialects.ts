// npm run bench -- dialects [--rounds N] [--runs N] [--tokens N] [--only ADAPTER] [--profile FOLDER]: the server's cost of
// replaying a run through each protocol adapter, compared with the API's plain event stream over the same sessions: CPU and
// wall time per event, alternating rounds, medians. Each run is started through that adapter, with an agent slow enough that
// hardly any tokens are coalesced. The bars are for the server's CPU time, which depends little on the machine's load.
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { Chain } from "./chain/chain.ts";
import { answerText, words } from "./chain/wording.ts";
import { type BenchmarkSession, MEASURED_ADAPTERS, type MeasuredAdapter } from "./dialects/adapters.ts";
import { type Asked, call, readStream } from "./dialects/read-stream.ts";
import { atMost, type Bar, finish, median, print, progress, round } from "./report/bars.ts";

/** Streams read concurrently. */
const AT_ONCE = 5;
const MAX_RATIO = 1.3;
const END = '"type":"agent_complete"';

const { values } = parseArgs({
  options: {
    ...{ rounds: { type: "string", default: "5" }, runs: { type: "string", default: "50" } },
    ...{ tokens: { type: "string", default: "1000" }, profile: { type: "string" } },
    only: { type: "string" },
  },
});
const [rounds, runs, tokens] = [values.rounds, values.runs, values.tokens].map((text) =>
  Math.max(1, Number(text)),
);

interface Session extends BenchmarkSession {
  /** The event stream from its beginning. */
  readonly plain: Asked;
  readonly events: number;
}

/** Creates a session with one completed run, started and streamed through the adapter. */
async function createSession(url: string, adapter: MeasuredAdapter): Promise<Session> {
  const session = randomUUID();
  const load = { tokens: tokens ?? 0, pace: { waitMs: 0, perSecond: 50 } };
  await call(url, { path: "/api/v1/sessions", body: { id: session } });
  const { body } = await call<{ cursor: string }>(url, { path: `/api/v1/sessions/${session}` });
  const target = { url, session, prompt: words(load) };
  await readStream(url, await adapter.ask(target));
  const plain = {
    path: `/api/v1/events?session_ids[]=${session}&cursor=${encodeURIComponent(body.cursor)}`,
    until: END,
  };
  const events = (await readStream(url, plain)).split("\nid: ").length;
  // The cost of an incomplete replay means nothing.
  const replay = await readStream(url, await adapter.replay(target));
  const last = JSON.stringify(answerText(load).slice(-20)).slice(1, -1);
  if (!replay.includes(last.trim().split(" ").at(-1) ?? last))
    throw new Error(`${adapter.name} did not replay the whole run: ${replay.slice(-500)}`);
  return { ...target, plain, events };
}

/** The server's time in microseconds per event to stream all these sessions. */
async function cost(chain: Chain, sessions: readonly Session[], asked: (session: Session) => Promise<Asked>) {
  const requests = await Promise.all(sessions.map(asked));
  const events = sessions.reduce((sum, session) => sum + session.events, 0);
  const before = { cpu: chain.hops.supervisor.cpu, at: performance.now() };
  const left = requests.values();
  const reader = async () => {
    for (const request of left) await readStream(chain.url, request);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, reader));
  const wall = ((performance.now() - before.at) * 1_000) / events;
  return { cpu: (chain.hops.supervisor.cpu - before.cpu) / events, wall };
}

const chain = await Chain.start({ profile: values.profile, speaker: "raw" });
const bars: Bar[] = [];
try {
  for (const adapter of MEASURED_ADAPTERS) {
    if (values.only !== undefined && values.only !== adapter.name) continue;
    progress(`${adapter.name}: starting ${runs} runs`);
    const sessions = await Promise.all(
      Array.from({ length: runs ?? 0 }, () => createSession(chain.url, adapter)),
    );
    const costs = {
      plain: [] as Awaited<ReturnType<typeof cost>>[],
      adapter: [] as Awaited<ReturnType<typeof cost>>[],
    };
    for (let n = 0; n < (rounds ?? 0); n++) {
      progress(`${adapter.name}: round ${n + 1} of ${rounds}`);
      costs.plain.push(await cost(chain, sessions, async ({ plain }) => plain));
      costs.adapter.push(await cost(chain, sessions, (session) => adapter.replay(session)));
    }
    const of = (which: keyof typeof costs, what: "cpu" | "wall") =>
      median(costs[which].map((one) => one[what]));
    const ratio = {
      cpu: of("adapter", "cpu") / of("plain", "cpu"),
      wall: of("adapter", "wall") / of("plain", "wall"),
    };
    print({
      ...{ adapter: adapter.name, events: sessions.reduce((sum, { events }) => sum + events, 0) },
      microsecondsPerEvent: {
        adapter: { cpu: round(of("adapter", "cpu")), wall: round(of("adapter", "wall")) },
        plain: { cpu: round(of("plain", "cpu")), wall: round(of("plain", "wall")) },
      },
      ratio: { cpu: round(ratio.cpu), wall: round(ratio.wall) },
    });
    bars.push(atMost(`${adapter.name}: CPU per event, of the plain event stream's`, ratio.cpu, MAX_RATIO));
  }
} finally {
  await chain.stop();
}
finish("dialects", bars);
