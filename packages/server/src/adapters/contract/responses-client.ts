import { randomUUID } from "node:crypto";
import { RESPONSES } from "../openai/testing/answering-server.ts";
import { type ClientMessage, framesIn, hangUp, type OpenClient, post } from "./protocol-client.ts";

/** Responses without `previous_response_id`: the history alone names the conversation, and questions are items. */
export const responsesClient: OpenClient = (server, _, owner) => {
  const body = (messages: readonly ClientMessage[], more: readonly object[] = []) => {
    const said = messages.filter(({ content }) => content !== "");
    const input = [...said.map(({ role, content }) => ({ role, content })), ...more];
    return { model: "supervisor", stream: true, input };
  };
  const ask = async (sent: object) => {
    const response = await post(server, RESPONSES, sent, { owner });
    const { status, headers } = response;
    let content = "";
    let asked: string | undefined;
    for (const frame of framesIn(await response.text())) {
      const { type, delta, item } = frame as { type: string; delta: string; item?: Record<string, string> };
      if (type === "response.output_text.delta") content += delta;
      if (item?.type === "mcp_approval_request") asked = item.id;
    }
    const answer = { id: randomUUID(), role: "assistant" as const, content };
    return { status, session: headers.get("x-session-id") ?? "", answer, asked };
  };
  const send = (messages: readonly ClientMessage[]) => ask(body(messages));
  return {
    send,
    cut: (messages) => hangUp(server, RESPONSES, body(messages), owner),
    regenerate: send,
    approve: (messages, id) => {
      const answer = { type: "mcp_approval_response", approval_request_id: id, approve: true };
      return ask(body(messages, [answer]));
    },
  };
};
