import { randomUUID } from "node:crypto";
import { type ClientMessage, framesIn, hangUp, type OpenClient, post } from "./protocol-client.ts";

interface Part {
  readonly type: string;
  readonly text?: string;
}

/** The AI SDK: messages have ids, and answers say in which session they are. */
export const aiSdkClient: OpenClient = (server, id, owner) => {
  const body = (messages: readonly ClientMessage[], trigger = "submit-message", parts: Part[] = []) => ({
    ...{ id, trigger },
    messages: messages.map(({ content, ...message }, at) => ({
      ...message,
      parts: [{ type: "text", text: content }, ...(at === messages.length - 1 ? parts : [])],
    })),
  });
  const ask = async (sent: object) => {
    const response = await post(server, "/ai", sent, { owner });
    const { status, headers } = response;
    let answer: ClientMessage = { id: randomUUID(), role: "assistant", content: "" };
    let asked: string | undefined;
    for (const frame of framesIn(await response.text())) {
      const { type, messageId, delta, messageMetadata, approvalId } = frame as Record<string, string>;
      if (messageId !== undefined) answer = { ...answer, id: messageId };
      if (messageMetadata !== undefined)
        answer = { ...answer, metadata: { ...(answer.metadata as object), ...Object(messageMetadata) } };
      if (type === "text-delta") answer = { ...answer, content: answer.content + delta };
      if (type === "tool-approval-request") asked = approvalId;
    }
    return { status, session: headers.get("x-session-id") ?? "", answer, asked };
  };
  return {
    send: (messages) => ask(body(messages)),
    cut: (messages) => hangUp(server, "/ai", body(messages), owner),
    regenerate: (messages) => ask(body(messages, "regenerate-message")),
    approve: (messages, asked) => {
      const approval = { id: asked, approved: true };
      const part = { type: "dynamic-tool", state: "approval-responded", approval };
      return ask(body(messages, "submit-message", [part]));
    },
  };
};
