import { type CommandEvidence, sessionsIn } from "../evidence/evidence.ts";
import { findingOn, type Invariant } from "./invariant.ts";

/** Every acknowledged message is in the log, with its text. */
export const acknowledgedMessages: Invariant = {
  id: "3",
  promise: "an acknowledged message survives whatever comes",
  check(evidence) {
    const said = new Map(
      [...sessionsIn(evidence)].flatMap(([id, entries]) =>
        entries.flatMap(({ event }) =>
          event.type === "user_message" ? [[`${id} ${event.messageId}`, event.content] as const] : [],
        ),
      ),
    );
    return findingOn(acknowledged(evidence.commands), ({ session, message, content }) => {
      const found = said.get(`${session} ${message}`);
      if (found === content) return undefined;
      const what = `message ${message} was acknowledged, and is not in the log`;
      return { what, session, expected: content, ...(found !== undefined && { found }) };
    });
  },
};

interface Acknowledged {
  readonly session: string;
  readonly message: string;
  readonly content: string;
}

function* acknowledged(commands: readonly CommandEvidence[]): Generator<Acknowledged> {
  for (const { method, body, path, answers } of commands) {
    if (method !== "POST" || !path.endsWith("/messages")) continue;
    for (const { status, text } of answers) {
      if (status >= 300) continue;
      const { message } = JSON.parse(text);
      yield { session: message.sessionId, message: message.id, content: String(body.content) };
    }
  }
}
