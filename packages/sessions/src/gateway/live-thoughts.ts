import {
  inlineText,
  isThought,
  memberIn,
  provenance,
  type StreamedEvent,
  type StreamResponse,
} from "@parley/a2a";

export interface Thought {
  readonly runId: string;
  readonly artifactId: string;
  readonly text: string;
  /** Whether it continues the piece before. */
  readonly append: boolean;
  /** The agent below the run's own that thinks it. */
  readonly agent?: string;
}

type Listener = (thought: Thought) => void;

/** Delivers what agents think to those who watch their sessions now; it is never recorded, and later readers never see it. */
export class LiveThoughts {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** Calls the listener, which must not throw, for each thought in a session; returns a function that unsubscribes. */
  follow(sessionId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(sessionId) ?? new Set();
    this.#listeners.set(sessionId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(sessionId) === listeners)
        this.#listeners.delete(sessionId);
    };
  }

  isWatched(sessionId: string): boolean {
    return this.#listeners.has(sessionId);
  }

  tell(sessionId: string, thought: Thought): void {
    for (const listener of this.#listeners.get(sessionId) ?? []) listener(thought);
  }
}

export function thoughtIn(runId: string, event: StreamResponse): Thought | undefined {
  if (!("artifactUpdate" in event)) return undefined;
  const { artifact, append = false } = event.artifactUpdate;
  const text = isThought(artifact) ? inlineText(artifact.parts) : "";
  if (text === "") return undefined;
  const agent = memberIn(artifact.metadata, provenance).value?.agent;
  return { runId, artifactId: artifact.artifactId, text, append, ...(agent !== undefined && { agent }) };
}

/** The event without thoughts, which are recorded only on request; the event stays, because the stream resumes at its cursor. */
export function withoutThinking(sent: StreamedEvent): StreamedEvent {
  const event = withoutThoughts(sent.event);
  return event === sent.event ? sent : { ...sent, event };
}

function withoutThoughts(event: StreamResponse): StreamResponse {
  if ("artifactUpdate" in event) {
    const { artifact } = event.artifactUpdate;
    return isThought(artifact)
      ? { artifactUpdate: { ...event.artifactUpdate, artifact: { ...artifact, parts: [] } } }
      : event;
  }
  if (!("task" in event) || !event.task.artifacts?.some(isThought)) return event;
  return { task: { ...event.task, artifacts: event.task.artifacts.filter((one) => !isThought(one)) } };
}
