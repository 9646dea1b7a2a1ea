import { afterEach, expect, it } from "vitest";
import { ApiServer } from "./testing/api-server.ts";
import { EventReader } from "./testing/event-reader.ts";

let api: ApiServer;
afterEach(() => api.stop());

it("messages, edits and forks are commands alike: beyond the rate each is a 429 that says when to come again (S4.33)", async () => {
  const rate = { perSecond: 0.001, atOnce: 5 };
  api = await ApiServer.start({ requests: { commands: rate, reads: { perSecond: 1_000, atOnce: 1_000 } } });
  // A session and its first message.
  const { id, messageId } = await api.begun();
  const edited = await api.ask("PUT", `/api/v1/sessions/${id}/messages/${messageId}`, {
    content: "Otherwise",
  });
  const forked = await api.ask("POST", `/api/v1/sessions/${id}/fork`, {});
  expect([edited.status, forked.status]).toEqual([201, 201]);
  expect((await api.ask("POST", `/api/v1/sessions/${id}/fork`, {})).status).toBe(201);
  const refused = [
    await api.ask("POST", `/api/v1/sessions/${id}/messages`, { content: "Again" }),
    await api.ask("PUT", `/api/v1/sessions/${id}/messages/${messageId}`, { content: "Again" }),
    await api.ask("POST", `/api/v1/sessions/${id}/fork`, {}),
    await api.ask("POST", `/api/v1/sessions/${id}/branch`, { content: "Again", messageId }),
  ];
  for (const { status, headers, json } of refused) {
    expect([status, json.code]).toEqual([429, "rate_limited"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
  // Another user has a rate of their own, and reading goes on.
  const bob = { "x-test-owner": "bob" };
  expect((await api.ask("POST", "/api/v1/sessions", {}, bob)).status).toBe(201);
  expect((await api.ask("GET", `/api/v1/sessions/${id}`)).status).toBe(200);
});

it("a user has so many event streams open: the next is a 429, until one is closed (S4.33)", async () => {
  api = await ApiServer.start({ streams: 2 });
  const events = `${api.url}/api/v1/events`;
  const open = [new EventReader(events), new EventReader(events)];
  for (const reader of open) await reader.until(({ received }) => received.length > 0);
  const { status, headers, json } = await api.ask("GET", "/api/v1/events");
  expect([status, json.code, headers.get("retry-after")]).toEqual([429, "rate_limited", "5"]);
  const bob = new EventReader(events, { headers: { "x-test-owner": "bob" } });
  await bob.until((reader) => reader.status === 200);
  open[0]?.close();
  const again = async () => {
    const reader = new EventReader(events);
    await reader.until((it) => it.status > 0);
    reader.close();
    return reader.status;
  };
  await expect.poll(again).toBe(200);
  for (const reader of [...open, bob]) reader.close();
});
