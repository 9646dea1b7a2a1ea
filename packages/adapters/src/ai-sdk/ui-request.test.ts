import { expect, it } from "vitest";
import { readUiRequest } from "./ui-request.ts";

const message = { id: "m1", role: "user", parts: [{ type: "text", text: "Hello" }] };
const body = { id: "a-chat-of-somebody", messages: [message] };
const problemOf = (json: unknown) => {
  try {
    readUiRequest(json);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

it("readUiRequest reads the transport's body, and names unused fields", () => {
  const parts = [...message.parts, { type: "data-place", data: {} }];
  const read = readUiRequest({ ...body, messages: [{ ...message, parts }], temperature: 1, tools: {} });
  expect(read).toMatchObject({
    chatId: body.id,
    trigger: "submit-message",
    unused: ["temperature", "data-place"],
  });
  expect(read.messages).toMatchObject([{ id: "m1", role: "user", content: "Hello" }]);
});

it.each([
  [undefined, /^body: /],
  [{ ...body, id: "" }, /^body\.id: /],
  [{ ...body, messages: [] }, /^body\.messages: /],
  [{ ...body, messages: [{ ...message, role: "tool" }] }, /^body\.messages\.0\.role: /],
  [{ ...body, messages: [{ ...message, role: "system" }] }, /^body\.messages\.0\.role: Agents have/],
  [
    { ...body, messages: [{ ...message, parts: [{ type: "text", text: 1 }] }] },
    /^body\.messages\.0\.parts\.0\.text: /,
  ],
  [
    { ...body, messages: [{ ...message, parts: [{ type: "file", url: "" }] }] },
    /^body\.messages\.0\.parts\.0\./,
  ],
  [{ ...body, trigger: "resume" }, /^body\.trigger: /],
  [{ ...body, tools: { now: {} } }, /^body\.tools: /],
  [{ ...body, system: "Be brief" }, /^body\.system: /],
])("refuses an invalid request and names the field: %j", (json, said) => {
  expect(problemOf(json)).toMatch(said);
});
