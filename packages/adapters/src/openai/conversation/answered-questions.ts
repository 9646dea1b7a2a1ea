import type { TranscriptMessage } from "./chat-command.ts";
import { beforeQuestion } from "./question-text.ts";

/** A conversation in which questions of agents, and what people answered, are part of the answer that they interrupted. */
export interface WithoutQuestions {
  readonly messages: readonly TranscriptMessage[];
  /** The last message answers this many-th question of the run that the message before it led to. */
  readonly answering?: number;
}

/**
 * Removes questions that were sent as text, and their answers, from a transcript: the record has them as approvals. The
 * text before and after a question is one answer there.
 */
export function withoutQuestions(all: readonly TranscriptMessage[]): WithoutQuestions {
  const messages: TranscriptMessage[] = [];
  let asked = 0;
  let isOpen = false;
  for (const [place, message] of all.entries()) {
    if (message.role === "user") {
      if (isOpen && place === all.length - 1) return { messages, answering: asked };
      if (!isOpen) {
        messages.push(message);
        asked = 0;
      }
      // What it answered goes on in the next message.
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
