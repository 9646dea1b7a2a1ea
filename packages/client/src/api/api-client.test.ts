import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SHORT_BACKOFF } from "../testing/small-client.ts";
import { SmallServer } from "../testing/small-server.ts";
import { ApiClient } from "./api-client.ts";

let server: SmallServer;
let client: ApiClient;
beforeEach(async () => {
  server = await SmallServer.start();
  client = new ApiClient({ baseUrl: `${server.url}/`, backoff: SHORT_BACKOFF });
});
afterEach(() => server.stop());

const unavailable = {
  status: 503,
  body: '{"code":"unavailable","detail":"Full"}',
  headers: { "Retry-After": "0" },
};

describe("the API's client", () => {
  it("repeats a command under one key until it is answered, and it happens once", async () => {
    await client.createSession({ id: "s" });
    server.got.length = 0;
    let cuts = 2;
    server.cutAfter = () => (cuts-- > 0 ? 1 : Number.POSITIVE_INFINITY);
    await client.postMessage("s", { id: "m", content: "Hello" });
    expect(server.got).toHaveLength(3);
    expect(new Set(server.got.map(({ key }) => key)).size).toBe(1);
    expect(server.record.record("s").messages).toHaveLength(1);
  });

  it("waits as the server asks, and gives up after its last try", async () => {
    server.instead.push(unavailable, unavailable);
    await expect(client.listSessions()).resolves.toEqual({ sessions: [], next: null });
    server.instead.push(unavailable, unavailable, unavailable, unavailable);
    await expect(client.listSessions()).rejects.toMatchObject({ code: "unavailable", status: 503 });
    expect(server.got).toHaveLength(7);
  });

  it("does not repeat what has no key: it may have been done", async () => {
    server.instead.push(unavailable);
    await expect(client.addAgent({ url: "http://a" })).rejects.toMatchObject({ code: "unavailable" });
    expect(server.got).toHaveLength(1);
  });

  it("says what is wrong with a request by code, status and field, and asks once", async () => {
    const body =
      '{"code":"invalid","detail":"body.content: must say something","errors":[{"path":"body.content","message":"must say something"}]}';
    server.instead.push({ status: 422, body });
    const posting = client.postMessage("s", { content: "" });
    await expect(posting).rejects.toMatchObject({ code: "invalid", status: 422, field: "body.content" });
    expect(server.got).toHaveLength(1);
  });

  it("tells a page of somebody else's from an answer of the API", async () => {
    server.instead.push({ status: 404, body: "<html>" });
    await expect(client.readSession("s")).rejects.toMatchObject({ code: "unreadable", status: 404 });
  });

  it("ends at its deadline, and at once when the caller does not want it any more", async () => {
    const stop = new AbortController();
    const slow = new ApiClient({ baseUrl: server.url, deadlineMs: 30, attempts: 1 });
    // The feed is an answer without an end.
    const endless = (signal?: AbortSignal) =>
      slow.exportSession("../events", "jsonl", signal ? { signal } : {});
    server.instead.push({ status: 200, body: "x", headers: { "Content-Length": "100" } });
    await expect(endless()).rejects.toMatchObject({ code: "deadline" });
    server.instead.push({ status: 200, body: "x", headers: { "Content-Length": "100" } });
    const patient = new ApiClient({ baseUrl: server.url }).exportSession("s", "jsonl", {
      signal: stop.signal,
    });
    stop.abort(new Error("not any more"));
    await expect(patient).rejects.toThrow("not any more");
  });
});
