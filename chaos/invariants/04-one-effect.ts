import { countBy } from "../count-by.ts";
import { type Evidence, sessionsIn } from "../evidence/evidence.ts";
import { findingOn, type Invariant } from "./invariant.ts";

/** A repeated command, to both nodes or after a cut, took effect once, and its responses name the same ids. */
export const oneEffect: Invariant = {
  id: "4",
  promise: "a repeated command with the same Idempotency-Key has one effect and the same answer",
  check(evidence) {
    const said = countBy(userMessages(evidence), ({ content }) => content);
    return findingOn(evidence.commands, ({ key, body, answers }) => {
      const good = answers.filter(({ status }) => status < 300);
      const named = [...new Set(good.map(({ text }) => namesIn(text)))];
      if (named.length > 1)
        return { what: `the answers to ${key} differ`, expected: named[0] ?? "", found: named[1] ?? "" };
      if (body.content === undefined) return undefined;
      const count = said.get(String(body.content)) ?? 0;
      const least = good.length > 0 ? 1 : 0;
      if (count >= least && count <= 1) return undefined;
      return {
        what: `the command ${key} led to ${count} messages`,
        expected: String(least),
        found: String(count),
      };
    });
  },
};

/** The ids in a response: session, message and run; the run's status may differ. */
function namesIn(text: string): string {
  const { session, message, run } = JSON.parse(text);
  return JSON.stringify([session?.id, message?.id, run?.id]);
}

/** The user messages of every session, without the prefix that a fork copies. */
export function userMessages(evidence: Evidence): { session: string; id: string; content: string }[] {
  return [...sessionsIn(evidence)].flatMap(([session, entries]) => {
    const fork = entries.findIndex(({ event }) => event.type === "fork");
    return entries.slice(fork + 1).flatMap(({ event }) => {
      if (event.type !== "user_message") return [];
      return [{ session, id: event.messageId, content: event.content }];
    });
  });
}
