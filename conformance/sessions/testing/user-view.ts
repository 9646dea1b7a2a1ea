import type { ApiEvent } from "./api-client.ts";

/** A user's view derived only from a session's events: the messages, and the text being streamed. */
export interface UserView {
  readonly said: readonly (readonly [role: string, content: string])[];
  readonly saying: string;
}

/** The view after each of a session's events, the first one's first. */
export function viewsOf(events: readonly ApiEvent[]): UserView[] {
  let said: UserView["said"] = [];
  const answers = new Map<string, string>();
  return events.map(({ type, payload }) => {
    const { content, messageId, artifactId, channel, restart, text } = payload;
    switch (type) {
      case "user_message":
        said = [...said, ["user", content]];
        break;
      case "agent_message":
        said = [...said, ["assistant", content]];
        break;
      case "agent_complete":
      case "agent_cancelled":
        if (messageId !== undefined) said = [...said, ["assistant", content]];
        answers.clear();
        break;
      case "agent_token_start":
        if (channel === "answer") answers.set(artifactId, restart ? "" : (answers.get(artifactId) ?? ""));
        break;
      case "agent_token":
        if (answers.has(artifactId)) answers.set(artifactId, answers.get(artifactId) + text);
        break;
    }
    return { said, saying: [...answers.values()].join("") };
  });
}
