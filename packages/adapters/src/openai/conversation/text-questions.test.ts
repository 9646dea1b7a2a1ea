import { cpuTime } from "@parley/testing/cpu-time.ts";
import { describe, expect, it } from "vitest";
import type { ChatMessage } from "./chat-command.ts";
import {
  beforeQuestion,
  parseDecision,
  parseReply,
  questionText,
  withoutQuestions,
} from "./text-questions.ts";

const QUESTION = questionText({ question: "May I delete *it*?", tool: "delete", arguments: { path: "a" } });
const IN_WORDS = questionText({ question: "Blue or red?", agent: "painter" });
const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (content: string): ChatMessage => ({ role: "assistant", content });

describe("questions as text", () => {
  it("puts a question into a paragraph of its own, and finds it there however it was trimmed", () => {
    expect(QUESTION).toMatch(/^\n\n---\n\*\*Waiting for you\*\* · May I delete/);
    for (const question of [QUESTION, IN_WORDS, QUESTION.trim(), `${IN_WORDS} \n`])
      expect(beforeQuestion(`I looked.${question}`)?.trim()).toBe("I looked.");
    expect(beforeQuestion("I looked.\n\n---\nAnd more")).toBeUndefined();
    // What an answer quotes is its own.
    expect(beforeQuestion(`It said:${QUESTION}\nSo I ask.${IN_WORDS}`)).toBe(
      `It said:${QUESTION}\nSo I ask.`,
    );
  });

  it("takes the last message for the reply to the latest question of the run", () => {
    const first = [user("X"), assistant(`A${QUESTION}`), user("yes")];
    expect(withoutQuestions(first)).toEqual({ messages: [user("X"), assistant("A")], answering: 1 });
    const second = [...first, assistant(`B${IN_WORDS}`), user("blue")];
    expect(withoutQuestions(second)).toEqual({ messages: [user("X"), assistant("AB")], answering: 2 });
  });

  it("joins the text around questions into one answer, and leaves the next message alone", () => {
    const all = [user("X"), assistant(QUESTION), user("yes"), assistant("Done"), user("Y")];
    expect(withoutQuestions(all)).toEqual({ messages: [user("X"), assistant("Done"), user("Y")] });
    const plain = [user("X"), assistant("A"), user("Y"), assistant("B"), assistant("C"), user("Z")];
    expect(withoutQuestions(plain)).toEqual({ messages: plain });
  });

  it("looks for a question in linear time", () => {
    const began = cpuTime();
    for (const piece of ["\n", "---**Waiting for you** · "]) {
      const long = piece.repeat(300_000 / piece.length);
      expect(beforeQuestion(`${long}x`)).toBeUndefined();
      expect(beforeQuestion(`A${long}${QUESTION}`)).toContain("A");
    }
    expect(cpuTime() - began).toBeLessThan(10_000);
  });
});

describe("parseDecision", () => {
  it.each([
    "yes",
    " Yes. ",
    "y",
    "OK",
    "okay!",
    "approve",
    "Go ahead",
    "yes, please",
    "**Yes**",
    "do it",
    "ja",
  ])("takes %j for a yes", (words) => {
    expect(parseDecision(words)).toBe("approved");
  });

  it.each(["no", "N", "deny", "Don’t", "do not", "Stop!", "cancel", "nein"])("takes %j for a no", (words) => {
    expect(parseDecision(words)).toBe("denied");
  });

  it.each(["yes, but only in staging", "not now", "which cluster?", "blue", "", "nobody", "okay-ish"])(
    "takes %j for an answer in words",
    (words) => {
      expect(parseDecision(words)).toBe("answered");
    },
  );

  it("takes linear time", () => {
    const began = cpuTime();
    expect(parseDecision(`${"!".repeat(300_000)}x`)).toBe("answered");
    expect(cpuTime() - began).toBeLessThan(10_000);
  });

  it("takes any reply to a question without a tool for an answer in words", () => {
    const request = { type: "approval_requested", runId: "r", approvalId: "a", question: "Blue?" } as const;
    expect(parseReply({ id: "a", request }, "yes")).toEqual({
      approvalId: "a",
      decision: "answered",
      text: "yes",
    });
  });
});
