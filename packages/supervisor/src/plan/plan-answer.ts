import { type Message, memberIn, memberInPart, type PlanDecision, planDecision, textOf } from "@parley/a2a";
import { isYes } from "@parley/agent";
import type { Plan } from "./plan.ts";

/** What a message decides about a plan by the extension; undefined: it decides nothing. */
export function decisionIn({ metadata, parts }: Message): PlanDecision | undefined {
  const found = [memberIn(metadata, planDecision), ...parts.map((part) => memberInPart(part, planDecision))];
  return found.find(({ value }) => value)?.value;
}

/** How a person answers the question whether a plan may be carried out: by the extension, or in words. */
export function planAnswer(message: Message, { steps }: Plan): Required<PlanDecision> {
  const decided = decisionIn(message);
  if (decided) return { approved: decided.approved ?? true, skip: decided.skip ?? [] };
  const words = textOf(message).trim();
  const [all = "", listed = ""] = /,?\s*\b(?:but\s+)?skip\b\s*(?:steps?\b)?\s*(.*)$/i.exec(words) ?? [];
  const named = listed.split(/[\s,.]+|and/).filter(Boolean);
  const skip = steps
    .filter(({ id }, place) => named.includes(id) || named.includes(String(place + 1)))
    .map(({ id }) => id);
  const rest = words.slice(0, words.length - all.length).trim();
  return { approved: rest === "" ? skip.length > 0 : isYes(rest), skip };
}
