import { runsIn } from "../evidence/recorded-runs.ts";
import { findingOn, type Invariant } from "./invariant.ts";

/** A command that was sent often, to both nodes or after a cut, happened once, and its answers name the same things. */
export const oneEffect: Invariant = {
  id: "4",
  promise: "a repeated command with the same Idempotency-Key has one effect and the same answer",
  check(evidence) {
    const runs = new Map<string, number>();
    for (const { question } of runsIn(evidence)) runs.set(question, (runs.get(question) ?? 0) + 1);
    return findingOn(evidence.commands, ({ key, body, answers }) => {
      const good = answers.filter(({ status }) => status < 300);
      const named = [...new Set(good.map(({ text }) => namesIn(text)))];
      if (named.length > 1)
        return { what: `the answers to ${key} differ`, expected: named[0] ?? "", found: named[1] ?? "" };
      if (body.content === undefined) return undefined;
      const count = runs.get(String(body.content)) ?? 0;
      const least = good.length > 0 ? 1 : 0;
      if (count >= least && count <= 1) return undefined;
      return {
        what: `the command ${key} led to ${count} runs`,
        expected: String(least),
        found: String(count),
      };
    });
  },
};

/** What an answer names: its session, message and run; how far the run is may differ. */
function namesIn(text: string): string {
  const { session, message, run } = JSON.parse(text);
  return JSON.stringify([session?.id, message?.id, run?.id]);
}
