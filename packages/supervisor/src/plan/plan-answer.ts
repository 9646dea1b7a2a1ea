import { type Message, memberInMessage, type PlanDecision, planDecision, textOf } from "@parley/a2a";
import { isYes } from "@parley/agent";
import type { Plan } from "./plan.ts";

const BESIDE_NAMES = /^(|and|steps?|please)$/i;

/** Whether a person approves a plan, by the extension or in words: anything but a clear yes, or a clear skip, is a no. */
export function planAnswer(message: Message, { steps }: Plan): Required<PlanDecision> {
  const decided = memberInMessage(message, planDecision);
  if (decided) return { approved: decided.approved ?? true, skip: decided.skip ?? [] };
  const words = textOf(message).trim();
  const found = /(?:,\s*|(?<!\s)\s*)\b(?:but\s+)?skip\b(.*)$/is.exec(words);
  if (!found) return { approved: isYes(words), skip: [] };
  const named = (found[1] ?? "").split(/[\s,.]+/).filter((word) => !BESIDE_NAMES.test(word));
  const skip = named.flatMap((name) => steps.find(({ id }) => id === name) ?? steps[Number(name) - 1] ?? []);
  const rest = words.slice(0, found.index).trim();
  const isClear = skip.length > 0 && skip.length === named.length && (rest === "" || isYes(rest));
  return { approved: isClear, skip: skip.map(({ id }) => id) };
}
