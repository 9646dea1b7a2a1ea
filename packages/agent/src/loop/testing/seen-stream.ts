import type { StreamResponse, Task } from "@parley/a2a";

/** An event in short: a status as its state and words, a piece of an artifact as its name, flags and text. */
export function inShort(event: StreamResponse): string {
  if ("statusUpdate" in event && event.statusUpdate) {
    const { state, message } = event.statusUpdate.status;
    const words = message?.parts.map(({ text }) => text ?? "{}").join("|");
    return [state.slice("TASK_STATE_".length).toLowerCase(), words].filter(Boolean).join(": ");
  }
  if ("artifactUpdate" in event && event.artifactUpdate) {
    const { artifact, append, lastChunk } = event.artifactUpdate;
    const text = artifact.parts.map((part) => part.text).join("");
    return `${artifact.name} ${append ? "+" : "="}${lastChunk ? "." : ""} ${JSON.stringify(text)}`;
  }
  return "task";
}

/** The text of each artifact, by name, as a client joins it; what comes without a first piece is an error. */
export function joinedText(events: readonly StreamResponse[]): Record<string, string> {
  const texts = new Map<string, { name: string; text: string }>();
  for (const event of events) {
    if (!("artifactUpdate" in event) || !event.artifactUpdate) continue;
    const { artifact, append } = event.artifactUpdate;
    const before = texts.get(artifact.artifactId);
    if (append && !before) throw new Error(`${artifact.name} is appended to before it is there`);
    const text = artifact.parts.map((part) => part.text ?? "").join("");
    const name = artifact.name ?? artifact.artifactId;
    texts.set(artifact.artifactId, { name, text: (append ? (before?.text ?? "") : "") + text });
  }
  return Object.fromEntries([...texts.values()].map(({ name, text }) => [name, text]));
}

/** The text of each artifact of a task, by name. */
export function artifactText({ artifacts = [] }: Task): Record<string, string> {
  return Object.fromEntries(
    artifacts.map(({ name, artifactId, parts }) => [
      name ?? artifactId,
      parts.map((part) => part.text ?? "").join(""),
    ]),
  );
}

/** What a task ended with: its state, and its words if it has any. */
export function endOf({ status: { state, message } }: Task): string {
  const words = message?.parts.map(({ text }) => text).join("");
  return [state.slice("TASK_STATE_".length).toLowerCase(), words].filter(Boolean).join(": ");
}
