import { cpuTime } from "@parley/testing/cpu-time.ts";
import { expect, it } from "vitest";
import { withoutQuestions } from "./answered-questions.ts";
import type { TranscriptMessage } from "./chat-command.ts";
import { beforeQuestion, questionText } from "./question-text.ts";

const QUESTION = questionText({ question: "May I delete *it*?", tool: "delete", arguments: { path: "a" } });
const IN_WORDS = questionText({ question: "Blue or red?", agent: "painter" });
const user = (content: string): TranscriptMessage => ({ role: "user", content, files: [] });
const assistant = (content: string): TranscriptMessage => ({ role: "assistant", content, files: [] });

it("a question is a paragraph of its own after what was said, and is found there however it was trimmed", () => {
  expect(QUESTION).toMatch(/^\n\n---\n\*\*Waiting for you\*\* · May I delete/);
  for (const question of [QUESTION, IN_WORDS, QUESTION.trim(), `${IN_WORDS} \n`])
    expect(beforeQuestion(`I looked.${question}`)?.trim()).toBe("I looked.");
  expect(beforeQuestion("I looked.\n\n---\nAnd more")).toBeUndefined();
  // What an answer quotes is its own.
  expect(beforeQuestion(`It said:${QUESTION}\nSo I ask.${IN_WORDS}`)).toBe(`It said:${QUESTION}\nSo I ask.`);
});

it("the last message answers the so many-th question of the run", () => {
  const first = [user("X"), assistant(`A${QUESTION}`), user("yes")];
  expect(withoutQuestions(first)).toEqual({ messages: [user("X"), assistant("A")], answering: 1 });
  const second = [...first, assistant(`B${IN_WORDS}`), user("blue")];
  expect(withoutQuestions(second)).toEqual({ messages: [user("X"), assistant("AB")], answering: 2 });
});

it("what was said around questions is one answer, and the next message is a message", () => {
  const all = [user("X"), assistant(QUESTION), user("yes"), assistant("Done"), user("Y")];
  expect(withoutQuestions(all)).toEqual({ messages: [user("X"), assistant("Done"), user("Y")] });
  const plain = [user("X"), assistant("A"), user("Y"), assistant("B"), assistant("C"), user("Z")];
  expect(withoutQuestions(plain)).toEqual({ messages: plain });
});

it("looking for a question costs little, whatever was said", () => {
  const began = cpuTime();
  for (const piece of ["\n", "---**Waiting for you** · "]) {
    const long = piece.repeat(300_000 / piece.length);
    expect(beforeQuestion(`${long}x`)).toBeUndefined();
    expect(beforeQuestion(`A${long}${QUESTION}`)).toContain("A");
  }
  expect(cpuTime() - began).toBeLessThan(10_000);
});
