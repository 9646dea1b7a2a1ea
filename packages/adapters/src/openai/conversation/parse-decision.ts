/** What a person answered to a question of an agent. */
export interface Decision {
  readonly decision: "approved" | "denied" | "answered";
  readonly text: string;
}

const YES = new Set(
  "yes y yep yeah ok okay sure approve approved confirm confirmed go go_ahead do_it proceed allow ja jo oui si sí".split(
    " ",
  ),
);
const NO = new Set(
  "no n nope deny denied reject rejected cancel stop don't dont do_not never decline nein non".split(" "),
);

/** Whoever says more means more than yes or no. */
const MAX_LENGTH = 40;

/** What the words decide about a call of a tool: yes, no, or an answer in words. */
export function parseDecision(words: string): Decision {
  const trimmed = words.trim();
  if (trimmed.length > MAX_LENGTH) return { decision: "answered", text: words };
  const said = trimmed
    .toLowerCase()
    .replaceAll("’", "'")
    .replace(/^[\s"'`*_]+/, "")
    .replace(/(?<![\s"'`*_.!,])[\s"'`*_.!,]+$/, "")
    .replaceAll(/[,\s]+/g, "_")
    .replace(/_please$/, "");
  const decision = YES.has(said) ? "approved" : NO.has(said) ? "denied" : "answered";
  return { decision, text: words };
}
