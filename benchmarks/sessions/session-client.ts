// The client, a process of its own: for each message from its parent, begins so many runs at once, each in a session of
// its own with a connection of its own to the event stream, and replies with how long it took until all had ended.
import { get } from "node:http";
import { answerText, type Load, words } from "../chain/wording.ts";

/** Concurrent runs: of the supervisor, or of the named agent. */
export interface Begun {
  readonly url: string;
  readonly load: Load;
  readonly runs: number;
  readonly agent?: string;
}

/** Their duration and number of events. */
export interface Taken {
  readonly milliseconds: number;
  readonly events: number;
}

const END = Buffer.from('"type":"agent_complete"');

process.on("message", async ({ url, load, runs, agent }: Begun) => {
  const call = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}/api/v1${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as { session: { id: string } };
  };
  const sessions: string[] = [];
  for (let n = 0; n < runs; n++) sessions.push((await call("/sessions", agent ? { agent } : {})).session.id);
  const followed = await Promise.all(
    sessions.map((id) => follow(`${url}/api/v1/events?session_ids[]=${id}`)),
  );
  const began = performance.now();
  await Promise.all(sessions.map((id) => call(`/sessions/${id}/messages`, { content: words(load) })));
  const streams = await Promise.all(followed.map(({ ended }) => ended));
  const milliseconds = performance.now() - began;
  // Parsed only afterwards, so that the reader is never the bottleneck.
  const events = streams.map((stream) => check(stream, load)).reduce((sum, count) => sum + count, 0);
  process.send?.({ milliseconds, events } satisfies Taken);
});

/** Resolves when connected; `ended` resolves with everything received once the run has ended. */
function follow(url: string): Promise<{ ended: Promise<string> }> {
  return new Promise((resolve, reject) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    const sent = get(url, { agent: false }, (response) => {
      const chunks: Buffer[] = [];
      let last = Buffer.alloc(0);
      response.on("data", (data: Buffer) => {
        if (chunks.push(data) === 1) resolve({ ended });
        const joined = Buffer.concat([last, data]);
        if (joined.includes(END) && joined.subarray(-2).toString() === "\n\n") {
          sent.destroy();
          end(Buffer.concat(chunks).toString());
        }
        last = joined.subarray(joined.lastIndexOf("\n\n") + 2 || 0);
      });
    });
    sent.on("error", reject);
  });
}

/** The time of an incomplete answer means nothing. */
function check(stream: string, load: Load): number {
  const events = stream
    .split("\n")
    .flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []));
  const end = events.find(({ type }) => type === "agent_complete");
  if (end?.payload.state !== "completed" || end.payload.content !== answerText(load))
    throw new Error(`A run ended as ${end?.payload.state}: ${end?.payload.reason}`);
  return events.length;
}
