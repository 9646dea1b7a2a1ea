import {
  type ApprovalAnswer,
  approvalAnswer,
  type Message,
  memberIn,
  memberInPart,
  textOf,
} from "@parley/a2a";
import type { Step } from "./step.ts";

const YES = /^\s*(y|yes|ok|okay|sure|go|go ahead|approve|approved|allow|do it|ja)\b/i;

/** What a person was asked about. */
export interface Question {
  readonly id: string;
  readonly argumentsHash: string;
}

/**
 * How a message answers the question whether a call may be made: by the extension's answer, which must be to just this
 * question, or in words. Whatever is no clear yes is a no, with the words as its reason.
 */
export function readAnswer(message: Message, question: Question): Step {
  const found = [
    memberIn(message.metadata, approvalAnswer),
    ...message.parts.map((part) => memberInPart(part, approvalAnswer)),
  ];
  const answer = found.find(({ value }) => value !== undefined)?.value;
  if (answer) return { answered: fromAnswer(answer, question) };
  const words = textOf(message).trim();
  const approved = YES.test(words);
  return { answered: { id: question.id, approved, ...(approved || words === "" ? {} : { note: words }) } };
}

function fromAnswer(
  { id, decision, arguments: changed, note, argumentsHash }: ApprovalAnswer,
  question: Question,
) {
  const fits = id === question.id && argumentsHash === question.argumentsHash;
  if (!fits) return { id: question.id, approved: false, note: "The answer was to another question." };
  return {
    id,
    approved: decision === "approved",
    ...(isObject(changed) && { arguments: changed }),
    ...(note !== undefined && { note }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
