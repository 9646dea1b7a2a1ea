import { approvalAnswer, type Message, memberPart, withMember } from "@parley/a2a";
import { describe, expect, it } from "vitest";
import { readAnswer } from "./approval-answer.ts";
import { argumentsHash } from "./decide-call.ts";

const hash = argumentsHash("sync", { name: "shop" });
const question = { id: "call_1", argumentsHash: hash };
const answer = { id: "call_1", tool: "sync", argumentsHash: hash, decision: "approved" as const };

function message(parts: Message["parts"], metadata?: Message["metadata"]): Message {
  return { messageId: "m", role: "ROLE_USER", parts, ...(metadata && { metadata }) };
}
const says = (text: string) => readAnswer(message([{ text }]), question);

describe("an answer to the question whether a call may be made", () => {
  it.each([
    "yes",
    "Yes!",
    " y ",
    "OK",
    "okay, go ahead",
    "yes please",
    "sure, do it.",
    "Approved",
    "go",
    "Ja",
  ])("is a yes: %s", (text) => {
    expect(says(text)).toEqual({ answered: { id: "call_1", approved: true } });
  });

  it.each([
    "no",
    "No, not now",
    "yes, but only the first",
    "ok wait",
    "go away",
    "sure?",
    "don't do it",
    "do it",
    "yesterday",
    "yes no",
    "what would it change?",
  ])("is a no with its words as the reason: %s", (text) => {
    expect(says(text)).toEqual({ answered: { id: "call_1", approved: false, note: text } });
  });

  it("is a no where nothing is said", () => {
    expect(says("  ")).toEqual({ answered: { id: "call_1", approved: false } });
  });

  it.each([
    ["metadata", message([{ text: "no" }], withMember(undefined, approvalAnswer, answer))],
    ["a part", message([memberPart(approvalAnswer, answer)])],
  ])("may be the extension's, in %s, which counts before words", (_, given) => {
    expect(readAnswer(given, question)).toEqual({ answered: { id: "call_1", approved: true } });
  });

  it("may bring other arguments, or a reason", () => {
    const read = (more: object) =>
      readAnswer(message([memberPart(approvalAnswer, { ...answer, ...more })]), question);
    expect(read({ arguments: { name: "blog" } })).toEqual({
      answered: { id: "call_1", approved: true, arguments: { name: "blog" } },
    });
    expect(read({ decision: "denied", note: "not on Friday" })).toEqual({
      answered: { id: "call_1", approved: false, note: "not on Friday" },
    });
  });

  it.each([
    ["another call", { id: "call_2" }, /another question/],
    ["other arguments", { argumentsHash: argumentsHash("sync", { name: "blog" }) }, /another question/],
    ["another tool", { argumentsHash: argumentsHash("delete", { name: "shop" }) }, /another question/],
    ["arguments that are no object", { arguments: ["shop"] }, /not a JSON object/],
  ])("never allows anything when it is for %s", (_, more, note) => {
    const given = message([memberPart(approvalAnswer, { ...answer, ...more })]);
    expect(readAnswer(given, question)).toEqual({
      answered: { id: "call_1", approved: false, note: expect.stringMatching(note) },
    });
  });

  it("that cannot be read is none", () => {
    const broken = message([{ data: { "x-parley": 1 } }], { any: "thing" });
    expect(readAnswer(broken, question)).toEqual({ answered: { id: "call_1", approved: false } });
  });
});
