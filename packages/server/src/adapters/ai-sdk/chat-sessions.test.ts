import { randomUUID } from "node:crypto";
import { ChatSessions } from "@parley/adapters/ai-sdk/chat-sessions.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "../../api/testing/api-server.ts";

const ANN = { owner: "ann", workspace: "default" };
let server: ApiServer;
beforeAll(async () => {
  server = await ApiServer.start();
});
afterAll(() => server.stop());

const message = (text: string, role = "user", id: string = randomUUID()) => {
  return { id, role, parts: [{ type: "text", text }] };
};

/** Says the last of the messages, and answers it; returns the session that this happened in. */
async function said(id: string, messages: readonly object[]): Promise<string> {
  const response = await fetch(`${server.url}/ai`, {
    ...{ method: "POST", headers: { "content-type": "application/json" } },
    body: JSON.stringify({ id, messages }),
  });
  const session = response.headers.get("x-session-id") ?? "";
  const run = [...(await server.sessions.state(ANN, session)).runs.values()].at(-1);
  await server.answers(session, run?.id ?? "", "Answer");
  await response.text();
  return session;
}

it("an old chat's newest run is found however many other runs came since, but not in deleted sessions", async () => {
  const id = randomUUID();
  const one = message("one");
  await said(id, [one]);
  const edited = await said(id, [message("eins", "user", one.id)]);
  const told = await said(id, [message("zero"), message("Hi", "assistant"), message("one more")]);
  await said(randomUUID(), [message("other")]);
  const newest = async (chatId = id) => new ChatSessions(server, ANN, chatId, 1).newestRun();
  expect((await newest())?.state.id).toBe(told);
  await server.ask("DELETE", `/api/v1/sessions/${told}`);
  expect((await newest())?.state.id).toBe(edited);
  for (const session of [id, edited]) await server.ask("DELETE", `/api/v1/sessions/${session}`);
  await expect(newest()).rejects.toThrow("was deleted");
  expect(await newest(randomUUID())).toBeUndefined();
});
