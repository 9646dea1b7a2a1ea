import type { Artifact, StreamResponse } from "@parley/a2a";

/** What a reader has of each artifact in the end, by its name or id. */
export function texts(
  events: readonly StreamResponse[],
  by: "name" | "artifactId" = "name",
): Record<string, string> {
  const found: Record<string, string> = {};
  const keyOf = (artifact: Artifact) => (by === "name" ? artifact.name : artifact.artifactId) ?? "";
  for (const event of events) {
    // The task as it was when the stream began, or was taken up again.
    if ("task" in event)
      for (const artifact of event.task.artifacts ?? []) found[keyOf(artifact)] = wordsOf(artifact);
    if (!("artifactUpdate" in event)) continue;
    const { artifact, append } = event.artifactUpdate;
    const before = append ? (found[keyOf(artifact)] ?? "") : "";
    found[keyOf(artifact)] = before + wordsOf(artifact);
  }
  return found;
}

/** The text of an artifact, and its data as JSON. */
export function wordsOf({ parts }: Artifact): string {
  return parts.map((part) => part.text ?? (part.data ? JSON.stringify(part.data) : "")).join("");
}

/** An event in a word or two: neighbouring pieces of one artifact count once. */
export function phases(events: readonly StreamResponse[]): string[] {
  const words = events.map((event) => {
    if ("task" in event) return "task";
    if ("message" in event) return "message";
    if ("artifactUpdate" in event)
      return event.artifactUpdate.artifact.name ?? event.artifactUpdate.artifact.artifactId;
    const { state, message } = event.statusUpdate.status;
    const text = message?.parts.map((part) => part.text ?? "").join("");
    return `${state.replace("TASK_STATE_", "").toLowerCase()}${text ? `: ${text}` : ""}`;
  });
  return words.filter((word, place) => word !== words[place - 1]);
}

/** The pieces whose append does not fit what came before. */
export function appendViolations(events: readonly StreamResponse[]): string[] {
  const known = new Set<string>();
  return events.flatMap((event) => {
    if ("task" in event) for (const { artifactId } of event.task.artifacts ?? []) known.add(artifactId);
    if (!("artifactUpdate" in event)) return [];
    const { artifact, append } = event.artifactUpdate;
    const wrong = append === true && !known.has(artifact.artifactId);
    known.add(artifact.artifactId);
    return wrong ? [artifact.artifactId] : [];
  });
}
