import { inWords, type Message, memberIn, sessionSnapshot } from "@parley/a2a";
import type { ModelMessage } from "@parley/models";

/** What was said, as a model is shown it. */
export function modelMessage(message: Message): ModelMessage {
  const text = inWords(message);
  return message.role === "ROLE_USER" ? { role: "user", text } : { role: "assistant", text, calls: [] };
}

/** The last messages of the session that a call belongs to, if it brings them along. */
export function snapshotMessages({ metadata }: Message): readonly ModelMessage[] | undefined {
  const session = memberIn(metadata, sessionSnapshot).value;
  return session?.messages.map(({ role, text }) =>
    role === "user" ? { role, text } : { role: "assistant", text, calls: [] },
  );
}
