import { setTimeout as sleep } from "node:timers/promises";
import type { GoldenReading } from "./golden-scene.ts";

const PATIENCE_MS = 60_000;

/** A client of `/api/v1` and of A2A with a user's key. */
export class GoldenClient {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  fetch(path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
    return fetch(this.#url + path, {
      ...init,
      headers: { authorization: `Bearer ${this.#key}`, ...headers },
    });
  }

  /** The answer's body; throws on any other status than one of success. */
  async call<Body>(method: string, path: string, body?: object, headers = {}): Promise<Body> {
    const response = await this.fetch(`/api/v1${path}`, {
      method,
      headers: { ...(body && { "content-type": "application/json" }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as Body;
  }

  /** The result of a call of A2A v1.0. */
  async a2a<Result>(method: string, params: object): Promise<Result> {
    const response = await this.fetch("/a2a/jsonrpc", {
      method: "POST",
      headers: { "content-type": "application/json", "a2a-version": "1.0" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: Result; error?: object };
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  async create(body: object): Promise<string> {
    return (await this.call<GoldenReading>("POST", "/sessions", body)).session.id;
  }

  read(id: string): Promise<GoldenReading> {
    return this.call("GET", `/sessions/${id}`);
  }

  /** The session, once the condition holds. */
  async until(id: string, isSo: (reading: GoldenReading) => boolean): Promise<GoldenReading> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const reading = await this.read(id);
      if (isSo(reading)) return reading;
      if (performance.now() > deadline)
        throw new Error(`Session ${id} stays as it is: ${JSON.stringify(reading.events.slice(-5))}`);
      await sleep(50);
    }
  }

  /** The session, once none of its runs is active. */
  ended(id: string): Promise<GoldenReading> {
    const count = (events: GoldenReading["events"], ...types: string[]) =>
      events.filter(({ type }) => types.includes(type as string)).length;
    return this.until(
      id,
      ({ events }) =>
        count(events, "agent_start") > 0 &&
        count(events, "agent_start") === count(events, "agent_complete", "agent_cancelled"),
    );
  }
}
