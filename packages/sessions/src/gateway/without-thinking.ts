import { isThought, type StreamedEvent, type StreamResponse } from "@parley/a2a";

/**
 * The event without what its agent thought: that is the agent's, and is recorded only where somebody asked for it. The
 * event itself stays, because its cursor is where the stream goes on.
 */
export function withoutThinking(sent: StreamedEvent): StreamedEvent {
  const event = silenced(sent.event);
  return event === sent.event ? sent : { ...sent, event };
}

function silenced(event: StreamResponse): StreamResponse {
  if ("artifactUpdate" in event) {
    const { artifact } = event.artifactUpdate;
    return isThought(artifact)
      ? { artifactUpdate: { ...event.artifactUpdate, artifact: { ...artifact, parts: [] } } }
      : event;
  }
  if (!("task" in event) || !event.task.artifacts?.some(isThought)) return event;
  return { task: { ...event.task, artifacts: event.task.artifacts.filter((one) => !isThought(one)) } };
}
