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

it("an event stream ends with the reason when its key is revoked, and the key opens nothing any more (S4.2)", async () => {
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

it("an event stream ends when its key expires, and the client says why and tries no more", async () => {
  const expiresAt = new Date(Date.now() + 1_500).toISOString();
  const { secret } = await platform.key("ann", "home", { expiresAt });
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
