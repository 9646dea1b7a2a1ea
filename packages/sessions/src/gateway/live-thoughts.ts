import { inlineText, isThought, memberIn, provenance, type StreamResponse } from "@parley/a2a";

/** A piece of what an agent thinks. */
export interface Thought {
  readonly runId: string;
  readonly artifactId: string;
  readonly text: string;
  /** It goes on after the piece before; otherwise it begins anew. */
  readonly append: boolean;
  /** Whose thought it is, below the agent that runs. */
  readonly agent?: string;
}

type Listener = (thought: Thought) => void;

/**
 * What agents think, told to whoever watches their sessions at this moment, and kept by nobody. It is no part of the
 * record, so it is the one thing that is delivered without having been committed; those who come later never see it.
 */
export class LiveThoughts {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** Hears what is thought in a session from now on; must not throw. Returns what ends the listening. */
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

/** What is thought in this event, if anything is. */
export function thoughtIn(runId: string, event: StreamResponse): Thought | undefined {
  if (!("artifactUpdate" in event)) return undefined;
  const { artifact, append = false } = event.artifactUpdate;
  const text = isThought(artifact) ? inlineText(artifact.parts) : "";
  if (text === "") return undefined;
  const agent = memberIn(artifact.metadata, provenance).value?.agent;
  return { runId, artifactId: artifact.artifactId, text, append, ...(agent !== undefined && { agent }) };
}
