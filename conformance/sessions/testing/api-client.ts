import { expect } from "vitest";

/** An event of a session, as clients get it. */
export interface ApiEvent {
  readonly sessionId: string;
  readonly index: number;
  readonly type: string;
  readonly timestamp: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect
  readonly payload: any;
}

export interface ApiMessage {
  readonly id: string;
  readonly role: string;
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface ApiRun {
  readonly id: string;
  readonly agent: string;
  readonly status: string;
  readonly text?: string;
}

export interface ApiReading {
  readonly session: { readonly id: string; readonly title: string; readonly revision: number };
  readonly messages: readonly ApiMessage[];
  readonly events: readonly ApiEvent[];
  readonly cursor: string;
}

export interface ApiAgent {
  readonly name: string;
  readonly state: string;
  readonly enabled: boolean;
  readonly hasCredentials: boolean;
}

/** A client of `/api/v1` that knows nothing but the API. */
export class ApiClient {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** The answer's body; any other status than one of success fails the test. */
  async call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect(response.status, `${method} ${path}: ${text}`).toBeLessThan(300);
    return (text === "" ? undefined : JSON.parse(text)) as Body;
  }

  async agents(): Promise<readonly ApiAgent[]> {
    return (await this.call<{ agents: ApiAgent[] }>("GET", "/agents")).agents;
  }

  /** A new session's id. */
  async create(
    body: { readonly agent?: string; readonly title?: string; readonly config?: object } = {},
  ): Promise<string> {
    return (await this.call<{ session: { id: string } }>("POST", "/sessions", body)).session.id;
  }

  post(sessionId: string, content: string, agent?: string): Promise<{ run: ApiRun; message: ApiMessage }> {
    const body = { content, ...(agent !== undefined && { agent }) };
    return this.call("POST", `/sessions/${sessionId}/messages`, body);
  }

  read(sessionId: string, eventsSince?: number): Promise<ApiReading> {
    const query = eventsSince === undefined ? "" : `?events_since=${eventsSince}`;
    return this.call("GET", `/sessions/${sessionId}${query}`);
  }

  async runs(sessionId: string): Promise<readonly ApiRun[]> {
    return (await this.call<{ runs: ApiRun[] }>("GET", `/sessions/${sessionId}/runs`)).runs;
  }

  /** The session, once the condition holds. */
  async until(
    sessionId: string,
    isSo: (reading: ApiReading) => boolean,
    timeout = 20_000,
  ): Promise<ApiReading> {
    let reading = await this.read(sessionId);
    const look = async () => {
      reading = await this.read(sessionId);
      return isSo(reading);
    };
    await expect.poll(look, { timeout, message: JSON.stringify(reading.events.at(-1)) }).toBe(true);
    return reading;
  }

  /** The session, once none of its runs is active. */
  ended(sessionId: string, timeout?: number): Promise<ApiReading> {
    return this.until(sessionId, ({ events }) => isQuiet(events), timeout);
  }
}

function isQuiet(events: readonly ApiEvent[]): boolean {
  const count = (...types: string[]) => events.filter(({ type }) => types.includes(type)).length;
  return count("agent_start") > 0 && count("agent_start") === count("agent_complete", "agent_cancelled");
}
