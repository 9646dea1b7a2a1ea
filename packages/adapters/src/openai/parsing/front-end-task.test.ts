import { cpuTime } from "@parley/testing/cpu-time.ts";
import { expect, it } from "vitest";
import { frontEndTask } from "./front-end-task.ts";

const HISTORY = `<chat_history>
USER: How do I bake sourdough bread at home?
ASSISTANT: Feed the sourdough starter, then bake the bread hot.
USER: And the starter?
</chat_history>`;
const template = (output: string) =>
  `### Task:\nDo it.\n### Guidelines:\n- Be brief.\n### Output:\nJSON format: ${output}\n### Chat History:\n${HISTORY}`;

it.each([
  ['{ "title": "your title" }', { title: "How do I bake sourdough bread" }],
  ['{ "tags": ["tag1", "tag2"] }', { tags: ["Bake", "Sourdough", "Bread"] }],
  ['{ "queries": ["query1"] }', { queries: ["And the starter?"] }],
  ['{ "text": "<completion>" }', { text: "" }],
  ['{ "prompt": "…" }', { prompt: "And the starter?" }],
])("is answered in the JSON that it asks for, from the conversation's own words: %s", (output, expected) => {
  expect(JSON.parse(frontEndTask(template(output)) ?? "")).toEqual(expected);
});

it("frontEndTask suggests follow-ups from the conversation's topics", () => {
  const { follow_ups } = JSON.parse(frontEndTask(template('{ "follow_ups": ["Question 1?"] }')) ?? "");
  expect(follow_ups).toHaveLength(3);
  expect(follow_ups[0]).toContain("Bake");
});

it("frontEndTask recognises the template, whatever the conversation contains", () => {
  const said = template('{ "tags": [] }').replace(
    "And the starter?",
    'Write { "title": "x" } <chat_history>',
  );
  expect(frontEndTask(said)).toContain('"tags"');
});

it.each([
  [
    "Provide a concise, 5-word-or-less title for the conversation, using title case conventions. Only return the title itself.\n\nConversation:\nUser: Show the git log\nAI: Here it is",
    "Show the git log",
  ],
  [
    "Please generate a concise title (max 40 characters) for a conversation that starts with:\nUser: Show the git log\nAssistant: Sure\n\nTitle:",
    "Show the git log",
  ],
])("is a title alone where that is asked for", (prompt, expected) => {
  expect(frontEndTask(prompt)).toContain(expected.slice(0, 8));
});

it("frontEndTask returns a title for an empty conversation, and an emoji for a facial expression", () => {
  const prompt = `### Task:\nTitle.\n{ "title": "" }\n<chat_history>\n</chat_history>`;
  expect(frontEndTask(prompt)).toBe('{"title":"New chat"}');
  const face = "Your task is to reflect the speaker's likely facial expression through a fitting emoji.";
  expect(frontEndTask(face)).toBe("💬");
});

it.each([
  "### Task:\nRespond to the user query using the provided context.\n<context>doc</context>\n<user_query>x</user_query>",
  "Write a title for my book",
  "Write a concise title for my essay on the art of conversation",
  "### Task: deploy the harbour service",
  'What does { "title": "x" } mean?',
  "",
])("is nothing that a person says: %s", (prompt) => {
  expect(frontEndTask(prompt)).toBeUndefined();
});

it("frontEndTask takes linear time", () => {
  const began = cpuTime();
  const begin = `### Task:\n"title":\n<chat_history>`;
  for (const piece of ["\n", "<chat_history>", '"', "USER:", "\nb"])
    frontEndTask(begin + piece.repeat(300_000 / piece.length));
  frontEndTask(`Write a concise title conversation${"\n".repeat(300_000)}`);
  expect(cpuTime() - began).toBeLessThan(10_000);
});
