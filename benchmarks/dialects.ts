// npm run bench -- dialects [--rounds N] [--runs N] [--tokens N] [--only DOOR] [--profile FOLDER]: what it costs the server
// to tell a run once more through each protocol's door, beside the plain event stream of the API over the very same
// sessions: CPU and wall time per event, rounds in turn, medians. The runs are made through that door, by an agent that
// speaks so slowly that hardly any tokens are joined into one event. The bars are for CPU time: the server's own, and so hardly the machine's.
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { Chain } from "./chain/chain.ts";
import { answerText, words } from "./chain/wording.ts";
import { MEASURED_DOORS, type MeasuredDoor, type Told } from "./dialects/doors.ts";
import { type Asked, call, readStream } from "./dialects/read-stream.ts";
import { atMost, type Bar, finish, median, print, progress, round } from "./report/bars.ts";

/** Streams that are read at the same time. */
const AT_ONCE = 5;
const MOST = 1.3;
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

interface Session extends Told {
  /** The event stream from its beginning. */
  readonly plain: Asked;
  readonly events: number;
}

/** A session with one run, made through a door and told there to its end. */
async function made(url: string, door: MeasuredDoor): Promise<Session> {
  const session = randomUUID();
  const load = { tokens: tokens ?? 0, pace: { waitMs: 0, perSecond: 50 } };
  await call(url, { path: "/api/v1/sessions", body: { id: session } });
  const { body } = await call<{ cursor: string }>(url, { path: `/api/v1/sessions/${session}` });
  const told = { url, session, said: words(load) };
  await readStream(url, await door.ask(told));
  const plain = {
    path: `/api/v1/events?session_ids[]=${session}&cursor=${encodeURIComponent(body.cursor)}`,
    until: END,
  };
  const events = (await readStream(url, plain)).split("\nid: ").length;
  // A run that was not told whole has no cost.
  const again = await readStream(url, await door.again(told));
  const last = JSON.stringify(answerText(load).slice(-20)).slice(1, -1);
  if (!again.includes(last.trim().split(" ").at(-1) ?? last))
    throw new Error(`${door.name} does not tell it all: ${again.slice(-500)}`);
  return { ...told, plain, events };
}

/** Microseconds per event that the server takes to tell all these sessions. */
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
  for (const door of MEASURED_DOORS) {
    if (values.only !== undefined && values.only !== door.name) continue;
    progress(`${door.name}: ${runs} runs are made`);
    const sessions = await Promise.all(Array.from({ length: runs ?? 0 }, () => made(chain.url, door)));
    const costs = {
      plain: [] as Awaited<ReturnType<typeof cost>>[],
      door: [] as Awaited<ReturnType<typeof cost>>[],
    };
    for (let n = 0; n < (rounds ?? 0); n++) {
      progress(`${door.name}: round ${n + 1} of ${rounds}`);
      costs.plain.push(await cost(chain, sessions, async ({ plain }) => plain));
      costs.door.push(await cost(chain, sessions, (session) => door.again(session)));
    }
    const of = (which: keyof typeof costs, what: "cpu" | "wall") =>
      median(costs[which].map((one) => one[what]));
    const ratio = {
      cpu: of("door", "cpu") / of("plain", "cpu"),
      wall: of("door", "wall") / of("plain", "wall"),
    };
    print({
      ...{ door: door.name, events: sessions.reduce((sum, { events }) => sum + events, 0) },
      microsecondsPerEvent: {
        door: { cpu: round(of("door", "cpu")), wall: round(of("door", "wall")) },
        plain: { cpu: round(of("plain", "cpu")), wall: round(of("plain", "wall")) },
      },
      ratio: { cpu: round(ratio.cpu), wall: round(ratio.wall) },
    });
    bars.push(atMost(`${door.name}: CPU per event, of the plain event stream's`, ratio.cpu, MOST));
  }
} finally {
  await chain.stop();
}
finish("dialects", bars);
