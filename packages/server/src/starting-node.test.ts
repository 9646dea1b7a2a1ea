import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { A2AClient } from "@parley/a2a";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it, onTestFinished } from "vitest";
import { readConfiguration } from "./configuration.ts";
import { startPlatform } from "./platform.ts";

/** An agent that serves its card only when released, which keeps the node starting until then. */
async function hesitantAgent(): Promise<{ readonly url: string; answer(): void }> {
  const answering = Promise.withResolvers<void>();
  const server = createServer(async (_, response) => {
    await answering.promise;
    response.writeHead(404).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: () => answering.resolve(),
  };
}

it("a node is not ready until it knows its agents: it answers requests for them with a retry, and our clients retry (invariants 4 and 6)", async () => {
  const hesitant = await hesitantAgent();
  const folder = await testFolder({
    "agents/agents.json": JSON.stringify({ agents: { hesitant: { url: hesitant.url } } }),
  });
  const platform = await startPlatform(
    await readConfiguration({
      ...{ PORT: "0", PARLEY_LOG: "silent", PARLEY_MODEL: "offline" },
      ...{ PARLEY_DATA: join(folder, "data"), PARLEY_AGENTS: join(folder, "agents") },
    }),
  );
  onTestFinished(() => platform.stop());
  const url = `http://localhost:${platform.port}`;
  const ask = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const sent = { method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(url + path, {
      ...(body && sent),
      headers: { "Content-Type": "application/json", ...headers },
    });
    return { status: answer.status, again: answer.headers.get("retry-after"), body: await answer.json() };
  };
  const { session } = (await ask("/api/v1/sessions", {})).body as { session: { id: string } };
  const messages = `/api/v1/sessions/${session.id}/messages`;
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "Hello" }] };
  const about = [
    ["/", { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } }],
    ["/a2a/rest/message:send", { message }],
    ["/api/v1/agents/nobody", undefined],
    ["/api/v1/agents/nobody/recheck", {}],
    [messages, { content: "Hello", agent: "nobody" }],
    [messages, { content: "Hello", skill: "nothing" }],
  ] as const;
  const answers = async () =>
    Promise.all(
      about.map(async ([path, body]) => {
        const { status, again } = await ask(path, body, { "A2A-Version": "1.0" });
        return [path, status, again];
      }),
    );
  expect(await answers()).toEqual(about.map(([path]) => [path, 503, "1"]));
  expect((await ask("/readyz")).status).toBe(503);

  const client = await A2AClient.connect(url, { policy: { allowOrigins: [url] } });
  const answer = client.send({ message: { ...message, messageId: "n" } as never });
  hesitant.answer();
  expect(await answer).toMatchObject({ task: { status: { state: "TASK_STATE_COMPLETED" } } });
  expect((await answers()).map(([, status]) => status)).toEqual([200, 200, 404, 404, 404, 404]);
  expect((await ask("/readyz")).status).toBe(200);
});
