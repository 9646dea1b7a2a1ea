import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import type { RecordedCall } from "@parley/client";
import { expect, it } from "vitest";
import { curlCommand } from "./curl-command.ts";

const asked: RecordedCall = {
  ...{ id: "c", name: "argocd", agent: "argocd" },
  arguments: { request: 'What\'s $(id) of `it`?\n"so"' },
};

it("a curl command runs in a real shell, and sends the agent the original request, whatever its content", async () => {
  const heard: { readonly headers: unknown; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    heard.push({ headers: request.headers, body });
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const command = curlCommand(asked, { url: `http://127.0.0.1:${port}/`, dialect: "1.0" });
  await promisify(execFile)("/bin/sh", ["-c", command]);
  server.close();
  expect(heard[0]?.headers).toMatchObject({ "content-type": "application/json", "a2a-version": "1.0" });
  expect(JSON.parse(heard[0]?.body ?? "")).toMatchObject({
    ...{ jsonrpc: "2.0", method: "SendMessage" },
    params: { message: { role: "ROLE_USER", parts: [{ text: 'What\'s $(id) of `it`?\n"so"' }] } },
  });
});

it.each([
  ["0.3", "message/send", { kind: "text" }],
  ["0.1", "tasks/send", { type: "text" }],
])("a curl command uses %s for agents that use it", (dialect, method, part) => {
  const body = curlCommand(asked, { url: "http://h/", dialect });
  expect(body).toContain(`"method":"${method}"`);
  expect(body).toContain(JSON.stringify(part).slice(1, -1));
});

it("a curl command names the tool of a tool call, uses REST where the agent does, and contains no secrets of a URL", () => {
  const call: RecordedCall = { id: "c", name: "version", agent: "argocd", arguments: { full: true } };
  const command = curlCommand(call, { url: "https://me:pass@h/a2a?key=hidden", binding: "HTTP+JSON" });
  expect(command).toContain("'https://h/a2a/message:send'");
  expect(command).toContain('Use the tool version with these arguments: {\\"full\\":true}');
  expect(command).not.toMatch(/pass|hidden|jsonrpc/);
});
