import { randomUUID } from "node:crypto";
import { CHAT } from "../openai/testing/answering-server.ts";
import { type ClientMessage, framesIn, hangUp, type OpenClient, post } from "./protocol-client.ts";

/** Chat completions: no message has an id, and the history alone names the conversation. */
export const openAiClient: OpenClient = (server, _, owner) => {
  const body = (messages: readonly ClientMessage[]) => ({
    ...{ model: "supervisor", stream: true },
    messages: messages.map(({ role, content }) => ({ role, content })),
  });
  const send = async (messages: readonly ClientMessage[]) => {
    const response = await post(server, CHAT, body(messages), { owner });
    const { status, headers } = response;
    const frames = framesIn(await response.text()) as { choices?: { delta: { content?: string } }[] }[];
    const content = frames.map(({ choices = [] }) => choices[0]?.delta.content ?? "").join("");
    const answer = { id: randomUUID(), role: "assistant" as const, content };
    const asked = content.includes("Waiting for you") ? content : undefined;
    return { status, session: headers.get("x-session-id") ?? "", answer, asked };
  };
  return {
    send,
    cut: (messages) => hangUp(server, CHAT, body(messages), owner),
    regenerate: send,
    approve: (messages) => send([...messages, { id: randomUUID(), role: "user", content: "yes" }]),
  };
};
