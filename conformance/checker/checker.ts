import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { type ArtifactTexts, SseSplitter, StreamCheck } from "@parley/a2a/checks";
import { isCardPath, rewriteCard } from "./card-rewriting.ts";
import type { CheckerReport, Violation } from "./report.ts";

/** A proxy that checks. */
export interface Checker {
  /** The URL to use instead of the target's. */
  readonly url: string;
  report(): CheckerReport;
  stop(): Promise<void>;
}

const MAX_VIOLATIONS = 1_000;
/** The limit on kept stream reports and known tasks; the oldest are dropped. */
const MAX_STREAMS = 10_000;
const MAX_TASKS = 1_000;
const JSON_TYPE = { "content-type": "application/json" };
/** The number of request bytes searched for the method. */
const MAX_REQUEST = 1_048_576;

/**
 * A proxy before an agent that passes everything on as it comes and checks every stream that passes. Give a
 * function for a target that moves; while there is none, callers get a 503.
 */
export async function startChecker(target: string | (() => string)): Promise<Checker> {
  const targetUrl = () => new URL(typeof target === "string" ? target : target());
  const streams: StreamCheck[] = [];
  const violations: Violation[] = [];
  const tasks = new Map<string, ArtifactTexts>();
  let dropped = 0;
  let violationCount = 0;

  const check = (request: string, isResumed: boolean): StreamCheck => {
    const stream = dropped + streams.length;
    const report = (rule: Violation["rule"], event: number, detail: string) => {
      if (++violationCount <= MAX_VIOLATIONS) violations.push({ rule, stream, event, detail });
    };
    const checked = new StreamCheck({ request, isResumed, tasks, report });
    streams.push(checked);
    if (streams.length > MAX_STREAMS) dropped += streams.splice(0, 1).length;
    const [oldest] = tasks.keys();
    if (oldest !== undefined && tasks.size > MAX_TASKS) tasks.delete(oldest);
    return checked;
  };

  const pass = (request: IncomingMessage, response: ServerResponse) => {
    const to = targetUrl();
    const method = methodOf(request);
    // Drops hop-by-hop headers, and compression, so that responses are readable.
    const { "accept-encoding": _, connection: __, ...asked } = request.headers;
    const headers = { ...asked, host: to.host };
    const { hostname: host, port } = to;
    const call = send({ host, port, method: request.method, path: request.url, headers, agent: false });
    call.setNoDelay(true);
    call.on("error", (error: NodeJS.ErrnoException) => {
      // Only a request that never arrived may be retried.
      if (error.code !== "ECONNREFUSED") response.destroy();
      else response.writeHead(503, JSON_TYPE).end('{"error":"The target cannot be reached"}');
    });
    response.on("close", () => call.destroy());
    call.on("response", (answer) => {
      if (isCardPath(request.url ?? "") && answer.statusCode === 200) return passCard(answer, response, to);
      response.writeHead(answer.statusCode ?? 502, passedHeaders(answer));
      response.flushHeaders();
      if (answer.headers["content-type"]?.startsWith("text/event-stream"))
        watch(answer, response, check(method(), request.headers["last-event-id"] !== undefined));
      answer.on("error", () => response.destroy());
      answer.pipe(response);
    });
    request.pipe(call);
  };

  const passCard = (answer: IncomingMessage, response: ServerResponse, from: URL) => {
    const chunks: Buffer[] = [];
    answer.on("error", () => response.destroy());
    answer.on("data", (chunk) => chunks.push(chunk));
    answer.on("end", () => {
      const card = rewriteCard(Buffer.concat(chunks).toString(), from, new URL(origin));
      const { "content-length": _, "transfer-encoding": __, ...headers } = answer.headers;
      response.writeHead(200, { ...headers, "content-length": Buffer.byteLength(card) }).end(card);
    });
  };

  const server = createServer(pass).listen(0, "127.0.0.1");
  server.on("connection", (socket) => socket.setNoDelay(true));
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: origin + targetUrl().pathname.replace(/\/$/, ""),
    report: () => ({
      streams: streams.map((it) => it.report()),
      violations: [...violations],
      violationCount,
    }),
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function watch(answer: IncomingMessage, response: ServerResponse, stream: StreamCheck): void {
  const splitter = new SseSplitter((frame) => stream.see(frame, performance.now()));
  let isEnded = false;
  const end = (how: "closed" | "broken" | "left") => {
    if (!isEnded) stream.close(how);
    isEnded = true;
  };
  answer.on("data", (chunk) => splitter.feed(chunk));
  answer.on("end", () => end(answer.complete ? "closed" : "broken"));
  answer.on("error", () => end("broken"));
  response.on("close", () => end(response.writableFinished ? "closed" : "left"));
}

/** All headers unchanged, except those of the connection itself. */
function passedHeaders({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.filter((_, place) => {
    const name = rawHeaders[place - (place % 2)]?.toLowerCase();
    return name !== "connection" && name !== "keep-alive";
  });
}

/** Listens to a request as it passes; says its method in JSON-RPC, or its method and path. */
function methodOf(request: IncomingMessage): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_REQUEST) chunks.push(chunk);
  });
  return () => {
    const otherwise = `${request.method} ${request.url}`;
    try {
      return String(JSON.parse(Buffer.concat(chunks).toString()).method ?? otherwise);
    } catch {
      return otherwise;
    }
  };
}
