// Opens streams at once, reads them to their end, and prints {"frames", "bytes", "milliseconds"}.
import { request } from "node:http";

const [url = "", streams = "1", chunks = "500"] = process.argv.slice(2);

function readStream(n: number): Promise<{ frames: number; bytes: number }> {
  const message = { messageId: `load-${chunks}-${n}`, role: "ROLE_USER", parts: [{ text: "go" }] };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params: { message } });
  const headers = { "content-type": "application/json", "a2a-version": "1.0", accept: "text/event-stream" };
  return new Promise((resolve, reject) => {
    const call = request(url, { method: "POST", headers, agent: false }, (response) => {
      let frames = 0;
      let bytes = 0;
      let last = 0;
      response.on("data", (data: Buffer) => {
        bytes += data.length;
        // A frame ends with an empty line; nothing is parsed, so that the reader is never the limit.
        for (let at = data.indexOf(10); at >= 0; at = data.indexOf(10, at + 1)) {
          const before = at === 0 ? last : data[at - 1];
          if (before === 10) frames++;
        }
        last = data[data.length - 1] ?? 0;
      });
      response.on("end", () => resolve({ frames, bytes }));
      response.on("error", reject);
    });
    call.on("error", reject).end(body);
  });
}

const start = performance.now();
const all = await Promise.all(Array.from({ length: Number(streams) }, (_, n) => readStream(n)));
const milliseconds = performance.now() - start;
const sum = (what: "frames" | "bytes") => all.reduce((total, stream) => total + stream[what], 0);
console.log(JSON.stringify({ frames: sum("frames"), bytes: sum("bytes"), milliseconds }));
