import { afterAll, beforeAll, describe, expect, it, onTestFailed, onTestFinished } from "vitest";
import { type ConformanceAgent, startConformanceAgent } from "./conformance-agent.ts";
import { clientFor, hasCursors, portFor, request, seen, WAYS } from "./testing/agent-client.ts";
import { startCuttingProxy } from "./testing/cutting-proxy.ts";
import { seededRandom } from "./testing/seeded-random.ts";

/** All cuts together; `PARLEY_CUTS=5000 npm test -- client-cuts` for more. */
const CUTS = Number(process.env.PARLEY_CUTS ?? 500);
const SEED = Number(process.env.PARLEY_SEED ?? Date.now() % 1_000_000);

/** Text that breaks easily: emoji with joiners and skin tones, combining marks, other scripts, line ends; and plain text. */
const WORDS = ["👩‍👩‍👧‍👦", "👍🏽", "é", "नमस्ते", "한국어", "𝄞", "\r\n", "data: ", "\u2028", "a", " ", '"\\'];

let agent: ConformanceAgent;

beforeAll(async () => {
  agent = await startConformanceAgent({ port: 0, grpcPort: 0 });
});
afterAll(() => agent.stop());

const limits = {
  reconnect: { tries: 40, firstDelayMs: 1, maxDelayMs: 4 },
  retry: { tries: 10, firstDelayMs: 1, maxDelayMs: 4 },
  late: 20,
};

const cases = WAYS.flatMap((way) => [
  ...(hasCursors(way) ? [{ ...way, name: `${way.name} by cursor`, way, resumeByCursor: true }] : []),
  { ...way, name: `${way.name} by snapshot`, way, resumeByCursor: false },
]);

/** The first response is cut once its task is known, later ones anywhere, even within their headers. */
function cutAfter(connection: number, sent: string, random: () => number): number | undefined {
  // HTTP/2 requests cannot be read here: the first call is the message.
  const isHttp2 = sent.startsWith("PRI ");
  const isFirst = /message:stream|SendStreamingMessage|message\/stream|sendSubscribe/.test(sent);
  if (isFirst || (isHttp2 && connection === 0)) return 2_000 + Math.floor(random() * 3_000);
  const isLater = /:subscribe|SubscribeToTask|resubscribe/.test(sent) || (isHttp2 && random() < 0.7);
  return isLater ? Math.floor(random() * 3_500) : undefined;
}

describe.each(cases)("a stream in $name that is cut repeatedly", ({ name, way, resumeByCursor }) => {
  const wanted = Math.ceil(CUTS / cases.length);

  it(`yields every character once, over ${wanted} cuts (invariants 7 and 9)`, async () => {
    const random = seededRandom(`${SEED} ${name}`);
    onTestFailed(() => void process.stderr.write(`PARLEY_SEED=${SEED}\n`));
    const port = await portFor(way, agent.url);
    let cuts = 0;
    for (let run = 0; cuts < wanted; run++) {
      const text = Array.from({ length: 150 }, () => WORDS[Math.floor(random() * WORDS.length)]).join("");
      const proxy = await startCuttingProxy(port, (connection, sent) => cutAfter(connection, sent, random));
      onTestFinished(() => proxy.stop());
      const client = await clientFor(way, agent.url, { limits, resumeByCursor, proxy: proxy.port });
      const task = await seen(client.stream(request(`echo-${run % 2}-${run}`, text)));
      const what = `PARLEY_SEED=${SEED}, run ${run}`;
      expect([task.text, task.lastState, task.gaps], what).toEqual([text, "TASK_STATE_COMPLETED", []]);
      expect(task.texts.size, what).toBe(1);
      cuts += proxy.cuts();
    }
  });
});
