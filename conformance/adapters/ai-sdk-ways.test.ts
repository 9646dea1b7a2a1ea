import fc from "fast-check";
import { expect, it } from "vitest";
import { type AiChat, type AiChatOptions, textOf } from "./testing/ai-chat.ts";
import { completes, says, scriptedChats, sessionOf } from "./testing/scripted-chats.ts";

const { chatAt, contents, underWay } = scriptedChats();

/** The part of its history that a client sends. */
const SENDS: readonly AiChatOptions["prepare"][] = [
  undefined,
  ({ id, trigger, messages }) => ({ body: { id, trigger, message: messages.at(-1) } }),
  ({ id, trigger, messages }) => ({ body: { id, trigger, messages: messages.slice(-3) } }),
];

/** A chat action: its turn, and whether the answer is cut once. */
const deeds = fc.record({
  does: fc.constantFrom("say", "edit", "again", "instead", "remove", "forget", "back"),
  turn: fc.nat(5),
  isCut: fc.boolean(),
});

let count = 0;

/** Performs an action that starts a run, and streams its answer. */
async function answered(chat: AiChat, doing: () => Promise<void>, isCut: boolean) {
  const done = doing();
  const { runId, brings } = await underWay(chat);
  const answer = `answer ${count++}`;
  await brings([says(runId, answer)]);
  await expect.poll(() => textOf(chat.last)).toBe(answer);
  if (isCut) await chat.stop();
  await brings([says(runId, "."), completes(runId, `${answer}.`)]);
  await done;
  if (isCut) await chat.resumeStream();
  expect([chat.status, chat.error?.message]).toEqual(["ready", undefined]);
}

it("after any sequence of chat actions, the session named by the last answer matches what the chat shows", {
  timeout: 180_000,
}, async () => {
  const story = fc.array(deeds, { minLength: 4, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(story, fc.constantFrom(0, 1, 2), async (given, sends) => {
      const { [sends]: prepare } = SENDS;
      const options = prepare ? { prepare } : {};
      let chat = chatAt(options);
      const shown: AiChat["messages"][] = [];
      const showing = (messages: AiChat["messages"]) => chatAt({ ...options, id: chat.id, messages });
      for (const { does, turn, isCut } of given) {
        const turns = chat.messages.length / 2;
        const at = turns === 0 ? 0 : 2 * (turn % turns);
        const messageId = chat.messages[at]?.id ?? "";
        const say = () => chat.sendMessage({ text: `message ${count++}` });
        // A client that sends no history, or only its tail, has ours.
        const hasAll = sends === 0 && turns > 0;
        if (does === "forget" && hasAll) {
          chat = showing(chat.messages.map(({ metadata: _, ...message }) => message));
          continue;
        }
        if (does === "back" && hasAll) {
          chat = showing(shown[turn % shown.length] ?? []);
          continue;
        }
        if (does === "instead" && hasAll) chat = showing(chat.messages.slice(0, at));
        if (does === "remove" && hasAll && at > 0) chat = showing(chat.messages.toSpliced(at, 2));
        if (does === "edit" && turns > 0)
          await answered(chat, () => chat.sendMessage({ text: `edit ${count++}`, messageId }), isCut);
        else if (does === "again" && turns > 0)
          await answered(chat, () => chat.regenerate({ messageId: chat.messages[at + 1]?.id ?? "" }), isCut);
        else await answered(chat, say, isCut);
        shown.push(chat.messages);
        expect(await contents(sessionOf(chat))).toEqual(chat.messages.map(textOf));
      }
    }),
    { numRuns: 6 },
  );
});
