import {
  type ApprovalAnswer,
  approvalAnswer,
  isObject,
  type Message,
  memberIn,
  memberInPart,
  textOf,
} from "@parley/a2a";
import type { Step } from "./step.ts";

const YES = new Set(
  "y yes yeah yep ok okay sure approve approved allow allowed confirm confirmed go ja".split(" "),
);
/** What may stand beside a yes without taking anything of it back. */
const WITH_YES = new Set("please ahead do it that this now thanks thank you of course fine i".split(" "));

/** What a person was asked about. */
export interface Question {
  readonly id: string;
  readonly argumentsHash: string;
}

type Answered = Extract<Step, { answered: unknown }>["answered"];

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
  return { answered: answer ? fromAnswer(answer, question) : fromWords(textOf(message).trim(), question) };
}

function fromWords(text: string, { id }: Question): Answered {
  if (isYes(text)) return { id, approved: true };
  return text === "" ? { id, approved: false } : { id, approved: false, note: text };
}

/** Whether words are a clear yes. "Yes, but …", "go away" and "sure?" begin like one too: every word has to be one. */
export function isYes(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}'’]+/gu) ?? [];
  const only = words.every((word) => YES.has(word) || WITH_YES.has(word));
  return only && words.some((word) => YES.has(word)) && !text.includes("?");
}

function fromAnswer(
  { id, decision, arguments: changed, note, argumentsHash }: ApprovalAnswer,
  question: Question,
): Answered {
  const refused = (reason: string) => ({ id: question.id, approved: false, note: reason });
  if (id !== question.id || argumentsHash !== question.argumentsHash)
    return refused("The answer was to another question.");
  if (changed !== undefined && !isObject(changed))
    return refused("The arguments that were given instead are not a JSON object.");
  return {
    id,
    approved: decision === "approved",
    ...(changed && { arguments: changed }),
    ...(note !== undefined && { note }),
  };
}
