import type { SessionEvent } from "../../domain/session-event.ts";

/** What a reader of the events has of each text in the end, by artifact; only those of one channel where it is given. */
export function joinedTexts(events: readonly SessionEvent[], channel?: string): Record<string, string> {
  const texts = new Map<string, string>();
  const channels = new Map<string, string>();
  for (const event of events) {
    if (event.type === "agent_token_start") {
      channels.set(event.artifactId, event.channel);
      texts.set(event.artifactId, event.restart ? "" : (texts.get(event.artifactId) ?? ""));
    } else if (event.type === "agent_token")
      texts.set(event.artifactId, (texts.get(event.artifactId) ?? "") + event.text);
  }
  return Object.fromEntries(
    [...texts].filter(([id]) => channel === undefined || channels.get(id) === channel),
  );
}

/** The answer as a reader of the events has it. */
export function joinedAnswer(events: readonly SessionEvent[]): string {
  return Object.values(joinedTexts(events, "answer")).join("");
}
