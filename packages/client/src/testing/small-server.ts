import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiError } from "../api/api-error.ts";
import type { Command } from "../sync/command.ts";
import { SmallRecord } from "./small-record.ts";

/** A request as the server got it. */
export interface Got {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly key: string | undefined;
}

/** The endpoints that a sync needs, over real HTTP. `cutAfter` says after how many bytes the next answer is cut off. */
export class SmallServer {
  record = new SmallRecord();
  readonly got: Got[] = [];
  readonly feeds = new Set<ServerResponse>();
  /** Answers this instead, once for each; only where the method is, if one is named. */
  readonly instead: {
    readonly method?: string;
    readonly status: number;
    readonly body: string;
    readonly headers?: Record<string, string>;
  }[] = [];
  cutAfter: () => number = () => Number.POSITIVE_INFINITY;
  readonly #server: Server;
  url = "";

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<SmallServer> {
    const server = new SmallServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    server.url = `http://127.0.0.1:${(server.#server.address() as AddressInfo).port}`;
    return server;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** As after a start with another database: it knows nothing of what was, and says so as the API does. */
  forget(record = new SmallRecord()): void {
    this.record = record;
    for (const feed of this.feeds) feed.destroy();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", this.url);
    const key = request.headers["idempotency-key"] as string | undefined;
    const method = request.method ?? "";
    const path = url.pathname.replace("/api/v1", "");
    this.got.push({ method, path, query: url.search, key });
    let text = "";
    for await (const piece of request) text += piece;
    response.on("error", () => {});
    const at = this.instead.findIndex((each) => (each.method ?? method) === method);
    const [other] = at < 0 ? [] : this.instead.splice(at, 1);
    if (other) {
      response.writeHead(other.status, other.headers).end(other.body);
      return;
    }
    if (path === "/events") {
      this.#feed(request, response);
      return;
    }
    try {
      const body = this.#route(
        method,
        path,
        url.searchParams,
        text === "" ? {} : JSON.parse(text),
        key ?? "",
      );
      this.#send(response, method === "GET" ? 200 : 201, body);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { status, code, message: detail } = error;
      this.#send(response, status, { status, code, detail, errors: [{ path: "body.x", message: "odd" }] });
    }
  }

  #route(method: string, path: string, query: URLSearchParams, body: object, key: string): unknown {
    const [, , sessionId = "", part, partId = "", verb] = path.split("/");
    if (method === "GET" && part === undefined && sessionId === "") {
      const since = query.get("since");
      if (since !== null) return this.record.changes(Number(since), Number(query.get("limit") ?? 50));
      return { sessions: Object.values(this.record.rows()), next: null };
    }
    if (method === "GET") return this.record.reading(sessionId, Number(query.get("events_since") ?? 0));
    this.record.execute(commandOf(`${method} ${part ?? ""} ${verb ?? ""}`, sessionId, partId, body), key);
    return {};
  }

  /** Cursors are positions in the order of everything. */
  #feed(request: IncomingMessage, response: ServerResponse): void {
    const last = request.headers["last-event-id"];
    const end = this.record.lines.length;
    const isAhead = Number(last ?? 0) > end;
    let at = last === undefined || isAhead ? end : Number(last);
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const write = this.#writer(response);
    write(`event: ready\nid: ${at}\ndata: {"sessions":{}}\n\n`);
    if (isAhead) write(`event: reset\nid: ${at}\ndata: {"sessionId":"*","index":${at}}\n\n`);
    const go = () => {
      for (; at < this.record.lines.length && !response.destroyed; ) {
        const line = this.record.lines[at++];
        if (line?.type === "event") write(`id: ${at}\ndata: ${JSON.stringify(line.event)}\n\n`);
        else write(`event: session_changed\nid: ${at}\ndata: ${JSON.stringify(line)}\n\n`);
      }
    };
    const unsubscribe = this.record.subscribe(go);
    this.feeds.add(response);
    response.on("close", () => {
      unsubscribe();
      this.feeds.delete(response);
    });
    go();
  }

  #send(response: ServerResponse, status: number, body: unknown): void {
    const type = status < 400 ? "application/json" : "application/problem+json";
    const text = JSON.stringify(body);
    response.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(text) });
    this.#writer(response)(text);
    response.end();
  }

  #writer(response: ServerResponse): (text: string) => void {
    let rest = this.cutAfter();
    return (text) => {
      const bytes = Buffer.from(text);
      if (response.destroyed) return;
      if (bytes.length <= rest) response.write(bytes);
      else response.write(bytes.subarray(0, rest), () => response.destroy());
      rest -= Math.min(rest, bytes.length);
    };
  }
}

function commandOf(route: string, sessionId: string, partId: string, body: object): Command {
  const { id = "", ...rest } = body as { id?: string };
  const made = { sessionId, childId: id, ...rest };
  const commands: Record<string, object> = {
    "POST  ": { type: "create", sessionId: id, ...rest },
    "PATCH  ": { type: "change", sessionId, ...rest },
    "DELETE  ": { type: "delete", sessionId },
    "POST restore ": { type: "restore", sessionId },
    "POST messages ": { type: "send", sessionId, messageId: id, ...rest },
    "PUT messages ": { type: "edit", messageId: partId, ...made },
    "POST fork ": { type: "fork", ...made },
    "POST runs cancel": { type: "cancel", sessionId, runId: partId },
  };
  const command = commands[route];
  if (!command) throw new ApiError("There is nothing here", { status: 404, code: "not_found" });
  return command as Command;
}
