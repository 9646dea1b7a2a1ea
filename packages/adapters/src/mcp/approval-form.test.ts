import { expect, it } from "vitest";
import { answerInForm, elicited } from "./approval-form.ts";

const yes = { decision: "approve" };
const unreadable = { decision: "denied", text: expect.stringContaining("not an object") };

it.each([
  [{ action: "accept", content: yes }, { decision: "approved" }],
  [
    { action: "accept", content: { ...yes, text: "Go", arguments: "" } },
    { decision: "approved", text: "Go" },
  ],
  [{ action: "accept", content: { ...yes, text: null, arguments: null } }, { decision: "approved" }],
  [
    { action: "accept", content: { ...yes, arguments: '{"a":1}' } },
    { decision: "approved", arguments: { a: 1 } },
  ],
  [
    { action: "accept", content: { ...yes, arguments: { a: 1 } } },
    { decision: "approved", arguments: { a: 1 } },
  ],
  [{ action: "accept", content: { ...yes, arguments: "[1]" } }, unreadable],
  [{ action: "accept", content: { ...yes, arguments: "{" } }, unreadable],
  [{ action: "accept", content: { ...yes, arguments: 1 } }, unreadable],
  [
    { action: "accept", content: { decision: "deny", text: "No" } },
    { decision: "denied", text: "No" },
  ],
  [{ action: "accept", content: { decision: "Approve" } }, { decision: "denied" }],
  [{ action: "accept", content: "approve" }, { decision: "denied" }],
  [{ action: "accept" }, { decision: "denied" }],
  [{ action: "decline", content: yes }, { decision: "denied" }],
  [{ action: "cancel" }, { decision: "denied", text: expect.stringContaining("put away") }],
])("what is no clear yes to a call is a no: %j", (given, answer) => {
  expect(answerInForm({ tool: "sync" }, elicited.parse(given))).toEqual(answer);
});

it("an answer to a question is its text", () => {
  const given = elicited.parse({ action: "accept", content: { text: "RunExit" } });
  expect(answerInForm({ tool: undefined }, given)).toEqual({ decision: "answered", text: "RunExit" });
});
