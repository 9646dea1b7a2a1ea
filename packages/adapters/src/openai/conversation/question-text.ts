import type { EventOf } from "@parley/sessions";

const MARK = "\n\n---\n**Waiting for you** · ";
const END = "\n\n*Reply yes or no, or say what to do instead.*";
const END_IN_WORDS = "\n\n*Your next message is the answer.*";
const ENDS = [END, END_IN_WORDS].map((end) => end.trim());
const [RULE = "", WAITING = ""] = MARK.trim().split("\n");

/** A question as text, for clients whose protocol has none: a paragraph of its own after what was said. */
export function questionText({
  question,
  tool,
  agent,
  arguments: given,
}: Pick<EventOf<"approval_requested">, "question" | "tool" | "agent" | "arguments">): string {
  const who = agent === undefined ? "" : `${agent}: `;
  if (tool === undefined) return `${MARK}${who}${question}${END_IN_WORDS}`;
  const call = `\`${tool}\`${given === undefined ? "" : ` \`${JSON.stringify(given)}\``}`;
  return `${MARK}${who}${question}\n\n${call}${END}`;
}

/** Whether it is this question that a text ends with, however a front end has trimmed it. */
export function endsWithQuestion(text: string, asked: Parameters<typeof questionText>[0]): boolean {
  return withoutBlanks(text).endsWith(withoutBlanks(questionText(asked)));
}

/** What was said before the question, however a front end has trimmed it; undefined: there is no question at its end. */
export function beforeQuestion(text: string): string | undefined {
  const whole = text.trimEnd();
  const at = ENDS.some((end) => whole.endsWith(end)) ? whole.lastIndexOf(WAITING) : -1;
  const before = whole.slice(0, Math.max(0, at)).trimEnd();
  return before.endsWith(RULE) ? before.slice(0, -RULE.length).trimEnd() : undefined;
}

function withoutBlanks(text: string): string {
  return text.replace(/\s+/g, "");
}
