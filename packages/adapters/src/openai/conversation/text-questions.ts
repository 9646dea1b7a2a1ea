import type { Approval, EventOf } from "@parley/sessions";
import type { ApprovalAnswer } from "../../conversations/approval-answers.ts";
import type { TranscriptMessage } from "../../conversations/transcript.ts";

const MARK = "\n\n---\n**Waiting for you** · ";
const END = "\n\n*Reply yes or no, or say what to do instead.*";
const END_IN_WORDS = "\n\n*Your next message is the answer.*";
const ENDS = [END, END_IN_WORDS].map((end) => end.trim());
const [RULE = "", WAITING = ""] = MARK.trim().split("\n");

const YES = new Set(
  "yes y yep yeah ok okay sure approve approved confirm confirmed go go_ahead do_it proceed allow ja jo oui si sí".split(
    " ",
  ),
);
const NO = new Set(
  "no n nope deny denied reject rejected cancel stop don't dont do_not never decline nein non".split(" "),
);
/** A longer reply means more than yes or no. */
const MAX_DECISION = 40;

/** A question as text, for clients whose protocol has none: a paragraph of its own after the answer so far. */
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

/** Whether a text ends with this question, however a front end has trimmed it. */
export function endsWithQuestion(text: string, asked: Parameters<typeof questionText>[0]): boolean {
  const withoutSpace = (words: string) => words.replace(/\s+/g, "");
  return withoutSpace(text).endsWith(withoutSpace(questionText(asked)));
}

/** The text before the question at its end, however a front end has trimmed it; undefined: it ends with none. */
export function beforeQuestion(text: string): string | undefined {
  const whole = text.trimEnd();
  const at = ENDS.some((end) => whole.endsWith(end)) ? whole.lastIndexOf(WAITING) : -1;
  const before = whole.slice(0, Math.max(0, at)).trimEnd();
  return before.endsWith(RULE) ? before.slice(0, -RULE.length).trimEnd() : undefined;
}

/** A transcript in which agents' questions and people's replies are part of the answer that they interrupted. */
export interface WithoutQuestions<Message> {
  readonly messages: readonly Message[];
  /** The last message replies to this many-th question of the run that the message before it led to. */
  readonly answering?: number;
}

/**
 * Removes questions that were sent as text, and the replies, from a transcript: the record has them as approvals. The
 * text before and after a question is one answer there.
 */
export function withoutQuestions<Message extends TranscriptMessage>(
  transcript: readonly Message[],
): WithoutQuestions<Message> {
  const messages: Message[] = [];
  let asked = 0;
  let isOpen = false;
  for (const [at, message] of transcript.entries()) {
    if (message.role === "user") {
      if (isOpen && at === transcript.length - 1) return { messages, answering: asked };
      if (!isOpen) {
        messages.push(message);
        asked = 0;
      }
      // The answer goes on after the reply.
      continue;
    }
    const before = beforeQuestion(message.content);
    const content = before ?? message.content;
    const last = messages.at(-1);
    if (last?.role === "assistant" && asked > 0)
      messages[messages.length - 1] = { ...last, content: last.content + content };
    else if (content.trim() !== "") messages.push({ ...message, content });
    isOpen = before !== undefined;
    if (isOpen) asked++;
  }
  return { messages };
}

/** A user's reply to a question: yes or no where it is about a tool call, else an answer in words. */
export function parseReply(
  { id: approvalId, request }: Pick<Approval, "id" | "request">,
  reply: string,
): ApprovalAnswer {
  const decision = request.tool === undefined ? "answered" : parseDecision(reply);
  return { approvalId, decision, text: reply };
}

/** What a reply decides about a tool call; whatever is neither yes nor no is an answer in words. */
export function parseDecision(reply: string): ApprovalAnswer["decision"] {
  const trimmed = reply.trim();
  if (trimmed.length > MAX_DECISION) return "answered";
  const words = trimmed
    .toLowerCase()
    .replaceAll("’", "'")
    .replace(/^[\s"'`*_]+/, "")
    .replace(/(?<![\s"'`*_.!,])[\s"'`*_.!,]+$/, "")
    .replaceAll(/[,\s]+/g, "_")
    .replace(/_please$/, "");
  return YES.has(words) ? "approved" : NO.has(words) ? "denied" : "answered";
}
