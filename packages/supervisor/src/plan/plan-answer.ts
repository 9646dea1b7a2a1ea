import { type Message, memberIn, memberInPart, type PlanDecision, planDecision, textOf } from "@parley/a2a";
import { isYes } from "@parley/agent";
import type { Plan } from "./plan.ts";

const BESIDE_NAMES = /^(|and|steps?|please)$/i;

/** What a message decides about a plan by the extension; undefined: it decides nothing. */
export function decisionIn({ metadata, parts }: Message): PlanDecision | undefined {
  const found = [memberIn(metadata, planDecision), ...parts.map((part) => memberInPart(part, planDecision))];
  return found.find(({ value }) => value)?.value;
}

/**
 * How a person answers the question whether a plan may be carried out: by the extension, or in words. Whatever is no
 * clear yes is a no, and so is one that wants something skipped and does not clearly say what.
 */
export function planAnswer(message: Message, { steps }: Plan): Required<PlanDecision> {
  const decided = decisionIn(message);
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
