import { request } from "node:http";

/** A request that is answered with an event stream. */
export interface Asked {
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text of its last frame, for a stream that does not end by itself. */
  readonly until?: string;
}

/** Reads the stream and inspects only its end, so that the reader is never the bottleneck. */
export function readStream(url: string, { path, body, headers = {}, until }: Asked): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const text = body && JSON.stringify(body);
  const sent = request(
    new URL(path, url),
    {
      ...{ method: text === undefined ? "GET" : "POST", agent: false },
      headers: { ...(text !== undefined && { "Content-Type": "application/json" }), ...headers },
    },
    (response) => {
      const pieces: Buffer[] = [];
      let tail = "";
      const end = () => resolve(Buffer.concat(pieces).toString());
      response.on("data", (piece: Buffer) => {
        pieces.push(piece);
        if (until === undefined) return;
        tail = (tail + piece.toString("latin1")).slice(-piece.length - until.length);
        if (!tail.includes(until)) return;
        sent.destroy();
        end();
      });
      response.on("end", () =>
        response.statusCode === 200
          ? end()
          : reject(new Error(`${path}: ${response.statusCode} ${Buffer.concat(pieces)}`)),
      );
    },
  );
  sent.on("error", (error) => sent.destroyed || reject(error)).end(text);
  return promise;
}

/** Sends JSON and returns the JSON and headers of the response. */
export async function call<Body>(
  url: string,
  { path, body, headers = {} }: Asked,
): Promise<{ readonly body: Body; readonly headers: Headers }> {
  const response = await fetch(new URL(path, url), {
    ...(body && { method: "POST", body: JSON.stringify(body) }),
    headers: { ...(body && { "Content-Type": "application/json" }), ...headers },
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return { body: (await response.json()) as Body, headers: response.headers };
}
