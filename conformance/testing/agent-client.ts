import {
  A2AClient,
  AgentCards,
  type AgentEndpoint,
  type ConnectOptions,
  type Message,
  type StreamedEvent,
  textOf,
} from "@parley/a2a";

/** The ways in which our own agent can be spoken to. */
export const WAYS = [
  { name: "1.0 JSON-RPC", dialect: "1.0", binding: "JSONRPC" },
  { name: "1.0 REST", dialect: "1.0", binding: "HTTP+JSON" },
  { name: "1.0 gRPC", dialect: "1.0", binding: "GRPC" },
  { name: "0.3 JSON-RPC", dialect: "0.3", binding: "JSONRPC" },
  { name: "0.3 REST", dialect: "0.3", binding: "HTTP+JSON" },
  { name: "0.3 gRPC", dialect: "0.3", binding: "GRPC" },
  { name: "0.1 JSON-RPC", dialect: "0.1", binding: "JSONRPC" },
] as const;

export type Way = (typeof WAYS)[number];

/** A client that uses this way and no other, at the agent itself or at a proxy before it. */
export async function clientFor(
  way: Way,
  agent: string,
  { proxy, ...options }: Partial<ConnectOptions> & { readonly proxy?: number } = {},
): Promise<A2AClient> {
  const accept = ({ dialect, binding }: AgentEndpoint) => dialect === way.dialect && binding === way.binding;
  const card = way.dialect === "0.1" ? "/.well-known/agent.json" : "";
  const found = await new AgentCards({ policy: { allowOrigins: [agent] } }).find(agent + card);
  const endpoints = found.endpoints.map((endpoint) => ({ ...endpoint, url: through(proxy, endpoint.url) }));
  const policy = { allowOrigins: endpoints.map(({ url }) => urlOf(url).origin) };
  return new A2AClient({ ...found, endpoints }, { policy, accept, ...options });
}

/** The port at which an agent is spoken to in this way. */
export async function portFor(way: Way, agent: string): Promise<number> {
  const { endpoint } = await clientFor(way, agent);
  return Number(urlOf(endpoint.url).port);
}

/** Whether the agent gives cursors in this way. */
export function hasCursors({ binding }: Way): boolean {
  return binding !== "GRPC";
}

function through(proxy: number | undefined, url: string): string {
  if (proxy === undefined) return url;
  const target = urlOf(url);
  target.port = String(proxy);
  return url.includes("://") ? target.href : target.host;
}

// The targets of gRPC have no scheme.
function urlOf(url: string): URL {
  return new URL(url.includes("://") ? url : `http://${url}`);
}

/** A request with this text. */
export function request(messageId: string, text = "hello", more: Partial<Message> = {}) {
  return { message: { messageId, role: "ROLE_USER" as const, parts: [{ text }], ...more } };
}

/** A client's final view of the events: the text of every artifact, and the states in order. */
export class SeenTask {
  readonly texts = new Map<string, string>();
  readonly states: string[] = [];
  readonly gaps: string[] = [];
  cursor: string | undefined;
  taskId = "";

  see({ event, cursor, gap }: StreamedEvent): void {
    this.cursor = cursor ?? this.cursor;
    if (gap) this.gaps.push(gap);
    if ("task" in event) {
      this.taskId = event.task.id;
      this.states.push(event.task.status.state);
      for (const artifact of event.task.artifacts ?? [])
        this.texts.set(artifact.artifactId, textOf(artifact));
    } else if ("statusUpdate" in event) {
      this.taskId = event.statusUpdate.taskId;
      this.states.push(event.statusUpdate.status.state);
    } else if ("artifactUpdate" in event) {
      const { artifact, append } = event.artifactUpdate;
      const before = append ? this.texts.get(artifact.artifactId) : "";
      if (before === undefined) throw new Error(`${artifact.artifactId} was appended to before it was there`);
      this.texts.set(artifact.artifactId, before + textOf(artifact));
    }
  }

  /** All texts, in the order of their artifacts. */
  get text(): string {
    return [...this.texts.values()].join("");
  }

  get lastState(): string | undefined {
    return this.states.at(-1);
  }
}

/** Reads a stream to its end. */
export async function seen(events: AsyncIterable<StreamedEvent>, task = new SeenTask()): Promise<SeenTask> {
  for await (const event of events) task.see(event);
  return task;
}

/** All that an iterable yields. */
export async function collected<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}
