import type { SessionState } from "./session-state.ts";

/** The messages of a session as Markdown. */
export function sessionMarkdown({
  title,
  id,
  messages,
}: Pick<SessionState, "title" | "id" | "messages">): string {
  const said = messages.map(({ role, content, agent, files = [] }) => {
    const attached = files.map(({ name }) => `\n\n(file: ${name})`).join("");
    return `## ${role === "user" ? "User" : (agent ?? "Assistant")}\n\n${content}${attached}\n`;
  });
  return [`# ${title || id}\n`, ...said].join("\n");
}
