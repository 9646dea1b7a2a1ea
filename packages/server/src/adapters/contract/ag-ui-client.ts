import { randomUUID } from "node:crypto";
import { type ClientMessage, framesIn, hangUp, type OpenClient, post } from "./protocol-client.ts";

/** AG-UI: messages have ids, and a thread keeps its id when its history has become a fork. */
export const agUiClient: OpenClient = (server, threadId, owner) => {
  const name = threadId;
  let state: unknown;
  // A request that is sent again has the run id from before.
  const runs = new Map<string, string>();
  const input = (messages: readonly ClientMessage[], more: object = {}, isNew = false) => {
    const sent = JSON.stringify([messages.map(({ id, content }) => [id, content]), more]);
    const runId = (isNew ? undefined : runs.get(sent)) ?? randomUUID();
    runs.set(sent, runId);
    const plain = messages.map(({ id, role, content }) => ({ id, role, content }));
    const shared = { tools: [], context: [], forwardedProps: {}, protocolVersion: "1.0" };
    return { threadId: name, runId, messages: plain, state: state ?? {}, ...shared, ...more };
  };
  const ask = async (body: object) => {
    const response = await post(server, "/agui", body, { owner });
    const { status, headers } = response;
    const frames = framesIn(await response.text());
    const texts = new Map<string, string>();
    let asked: string | undefined;
    for (const frame of frames) {
      const { type, messageId, delta = "", snapshot, outcome } = frame as Record<string, string>;
      if (type === "STATE_SNAPSHOT") state = snapshot;
      if (type === "TEXT_MESSAGE_START" || type === "TEXT_MESSAGE_CONTENT")
        texts.set(String(messageId), `${texts.get(String(messageId)) ?? ""}${delta}`);
      const { interrupts } = (outcome ?? {}) as { interrupts?: readonly { id: string }[] };
      asked ??= interrupts?.[0]?.id;
    }
    const [id = randomUUID(), content = ""] = [...texts].at(-1) ?? [];
    const answer = { id, role: "assistant" as const, content };
    return { status, session: headers.get("x-session-id") ?? "", answer, asked };
  };
  return {
    send: (messages) => ask(input(messages)),
    cut: (messages) => hangUp(server, "/agui", input(messages), owner),
    regenerate: (messages) => ask(input(messages, {}, true)),
    approve: (messages, asked) => {
      const resume = [{ interruptId: asked, status: "resolved", payload: { approved: true } }];
      return ask(input(messages, { resume }));
    },
  };
};
