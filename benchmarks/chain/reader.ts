// The client, a process of its own: for each message from its parent, opens so many streams at once, reads them to
// their end, and replies with the milliseconds to the first token and in all, for each stream.
import { request } from "node:http";
import { answerText, type Load, tokenText, words } from "./wording.ts";

/** What to read from where, and with how many concurrent streams. */
interface Reading {
  readonly url: string;
  readonly load: Load;
  readonly streams: number;
}

/** The duration of reading one stream, in milliseconds, and its size in bytes. */
export interface StreamTimes {
  readonly first: number;
  readonly total: number;
  readonly bytes: number;
}

const FIRST = Buffer.from(`"text":"${tokenText(0)}`);

process.on("message", async (reading: Reading) => {
  const streams = await Promise.all(Array.from({ length: reading.streams }, () => readStream(reading)));
  // Parsed only afterwards, so that the reader is never the bottleneck.
  for (const { body } of streams) check(body, reading.load);
  process.send?.(streams.map(({ body, ...times }): StreamTimes => ({ ...times, bytes: body.length })));
});

function readStream({ url, load }: Reading): Promise<{ first: number; total: number; body: Buffer }> {
  const message = { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: words(load) }] };
  const call = { jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params: { message } };
  const headers = { "content-type": "application/json", "a2a-version": "1.0", accept: "text/event-stream" };
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      let first = Number.NaN;
      response.on("data", (data: Buffer) => {
        chunks.push(data);
        if (Number.isNaN(first) && data.includes(FIRST)) first = performance.now() - began;
      });
      response.on("end", () =>
        resolve({ first, total: performance.now() - began, body: Buffer.concat(chunks) }),
      );
      response.on("error", reject);
    });
    sent.on("error", reject).end(JSON.stringify(call));
  });
}

/** The time of an incomplete answer means nothing. */
function check(body: Buffer, load: Load): void {
  const events = body
    .toString()
    .split("\n")
    .flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6)).result] : []));
  const pieces = events.flatMap(({ artifactUpdate }) => (artifactUpdate ? [artifactUpdate] : []));
  const { artifactId } = pieces.find(({ artifact }) =>
    artifact.parts[0]?.text?.startsWith(tokenText(0)),
  ).artifact;
  const text = pieces
    .filter(({ artifact }) => artifact.artifactId === artifactId)
    .map(({ artifact }) => artifact.parts[0]?.text)
    .join("");
  const state = events.at(-1)?.statusUpdate?.status.state;
  if (text !== answerText(load) || state !== "TASK_STATE_COMPLETED")
    throw new Error(`The answer has ${text.length} characters and ended as ${state}`);
}
