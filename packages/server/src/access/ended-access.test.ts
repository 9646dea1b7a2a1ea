import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { EventFeed, type FeedItem } from "@parley/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EventReader } from "../api/testing/event-reader.ts";
import { GuardedPlatform } from "./testing/guarded-platform.ts";

let platform: GuardedPlatform;
beforeAll(async () => {
  platform = await GuardedPlatform.start();
}, 180_000);
afterAll(() => platform.stop());

const revoke = async (id: string) => {
  const { status } = await platform.ask("DELETE", `/api/v1/keys/${id}?workspace=home`, {
    key: platform.operator,
  });
  expect(status).toBe(204);
};

it("an event stream ends with the reason when its key is revoked, and the key is refused from then on (S4.2)", async () => {
  const { id, secret } = await platform.key("ann", "home");
  const reader = new EventReader(`${platform.url}/api/v1/events`, {
    headers: { Authorization: `Bearer ${secret}` },
  });
  await reader.until(({ received }) => received.length > 0);
  await revoke(id);
  await reader.closed;
  expect(reader.received.at(-1)).toMatchObject({
    event: "ended",
    data: { code: "not_authenticated", detail: "Your API key was revoked: ask for another" },
  });
  const { status, headers } = await platform.ask("GET", "/api/v1/sessions", { key: secret });
  expect(status).toBe(401);
  expect(headers.get("www-authenticate")).toContain('error="invalid_token"');
});

it("an event stream ends when its key expires, and the client reports why and stops retrying", async () => {
  const expiresAt = new Date(Date.now() + 1_500).toISOString();
  const { secret } = await platform.key("bob", "home", { expiresAt });
  const feed = new EventFeed({ baseUrl: platform.url, key: secret });
  const items: FeedItem[] = [];
  const reading = (async () => {
    for await (const item of feed.read(new AbortController().signal)) items.push(item);
  })();
  await expect(reading).rejects.toMatchObject({
    ...{ code: "not_authenticated", status: 401 },
    message: `Your API key expired at ${expiresAt}: ask for another`,
  });
  expect(items.map(({ type }) => type)).toEqual(["opened"]);
});

it("a request whose key is revoked while its body arrives has no effect, at any endpoint", async () => {
  const { secret: other } = await platform.key("carl", "home", { role: "owner" });
  const seen = async () => {
    const [sessions, tasks] = await Promise.all(
      ["/api/v1/sessions", "/a2a/rest/tasks"].map((path) => platform.ask("GET", path, { key: other })),
    );
    return [sessions?.json.sessions.length, tasks?.json.tasks.length];
  };
  const before = await seen();
  const said = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "Too late" }] };
  const doors = {
    "/api/v1/sessions": { title: "Too late" },
    "/api/v1/sessions/import": { content: "Too late" },
    "/api/v1/files": { name: "Too late" },
    "/a2a/rest/message:send": { message: said },
    "/a2a/jsonrpc": { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message: said } },
    "/v1/chat/completions": { model: "helper", messages: [{ role: "user", content: "Too late" }] },
    "/agui": { threadId: "t1", runId: "r1", messages: [] },
    "/mcp": { jsonrpc: "2.0", id: 1, method: "tools/list" },
    "/ai": { id: "c1", messages: [] },
  };
  const answers = await Promise.all(
    Object.entries(doors).map(async ([path, body]) => {
      const { id, secret } = await platform.key("carl", "home", {}, other);
      const whole = JSON.stringify(body);
      const asked = request(`${platform.url}${path}`, {
        method: "POST",
        headers: {
          ...{ Authorization: `Bearer ${secret}`, "Content-Type": "application/json", "A2A-Version": "1.0" },
          ...{
            "Content-Length": whole.length,
            "X-File-Name": "a.json",
            Accept: "application/json, text/event-stream",
          },
          // `100 Continue` shows that the server waits for the body.
          Expect: "100-continue",
        },
      });
      asked.flushHeaders();
      await once(asked, "continue");
      asked.write(whole.slice(0, 5));
      await platform.ask("GET", "/healthz");
      await revoke(id);
      asked.end(whole.slice(5));
      const [response] = await once(asked, "response");
      return [path, response.statusCode, await text(response)];
    }),
  );
  for (const [path, status, body] of answers) expect([path, status], String(body)).toEqual([path, 401]);
  expect(await seen()).toEqual(before);
});
