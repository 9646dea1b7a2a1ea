import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { GuardedPlatform } from "./testing/guarded-platform.ts";

let platform: GuardedPlatform;
beforeAll(async () => {
  platform = await GuardedPlatform.start({ PARLEY_TRUSTED_PROXIES: "127.0.0.0/8" });
}, 120_000);
afterAll(() => platform.stop());

const from = (address: string) => ({ "X-Forwarded-For": address });
const noted = async (action: string, workspace = "default") => {
  const query = `?workspace=${workspace}&action=${action}`;
  return (await platform.ask("GET", `/api/v1/audit${query}`, { key: platform.operator })).json.entries;
};

it("invalid keys are audited with their prefix and address, and repeats are counted", async () => {
  const { secret } = await platform.key("ann", "home");
  const forged = `${secret.slice(0, -4)}AAAA`;
  for (let count = 0; count < 10; count++)
    for (const address of ["192.0.2.1", "192.0.2.2"])
      for (const path of ["/api/v1/sessions", "/readyz"])
        await platform.ask("GET", path, { key: forged, headers: from(address) });
  // A probe answers everybody, but a key that is tried there is a key that is tried.
  await platform.ask("GET", "/readyz", { key: forged, headers: from("192.0.2.6") });
  await platform.ask("GET", "/api/v1/sessions", { key: "nonsense", headers: from("192.0.2.3") });
  // Who shows nothing has shown nothing wrong.
  await platform.ask("GET", "/api/v1/sessions", { headers: from("192.0.2.4") });
  const prefix = secret.slice(0, 15);
  const reason = expect.stringContaining("not known here");
  await expect
    .poll(() => noted("key.refused"))
    .toMatchObject([
      { name: "unknown", target: prefix, address: "192.0.2.6", details: { reason } },
      { name: "unknown", target: prefix, address: "192.0.2.2", details: { reason } },
      { name: "unknown", target: prefix, address: "192.0.2.1", details: { reason } },
    ]);
  await expect
    .poll(() => noted("login.refused"))
    .toMatchObject([{ target: "unknown", address: "192.0.2.3" }]);
  expect(JSON.stringify(await noted("key"))).not.toContain(forged);
});

it("the audit log of the workspace records each request that the caller's role does not allow, on every interface", async () => {
  const { secret: key } = await platform.key("vera", "home", { role: "viewer" });
  const headers = from("192.0.2.5");
  await platform.ask("POST", "/api/v1/sessions", { key, headers, body: {} });
  await platform.ask("GET", "/metrics", { key, headers });
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "Go" }] };
  const spoken = { ...headers, "A2A-Version": "1.0" };
  await platform.ask("POST", "/a2a/rest/message:send", { key, headers: spoken, body: { message } });
  const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
  await platform.ask("POST", "/", { key, headers: spoken, body: rpc("SendMessage", { message }) });
  for (const path of ["/agui", "/ai", "/v1/chat/completions"])
    await platform.ask("POST", path, { key, headers, body: {} });
  const call = { name: "ask_supervisor", arguments: { message: "Hello" } };
  await platform.ask("POST", "/mcp", {
    ...{ key, body: rpc("tools/call", call) },
    headers: { ...headers, Accept: "application/json, text/event-stream" },
  });
  await expect
    .poll(() => noted("role.refused", "home"))
    .toMatchObject([
      { owner: "vera", target: "POST /mcp ask_supervisor", address: "192.0.2.5" },
      { owner: "vera", target: "POST /v1/chat/completions", address: "192.0.2.5" },
      { owner: "vera", target: "POST /ai", address: "192.0.2.5" },
      { owner: "vera", target: "POST /agui", address: "192.0.2.5" },
      { owner: "vera", target: "POST /", address: "192.0.2.5" },
      {
        owner: "vera",
        target: "POST /a2a/rest/message:send",
        address: "192.0.2.5",
        details: { role: "viewer" },
      },
      { owner: "vera", target: "GET /metrics" },
      { owner: "vera", target: "POST /api/v1/sessions" },
    ]);
});

it("exports, imports and reads by link are audited with their user and address", async () => {
  const { secret: key } = await platform.key("ann", "office");
  const headers = from("192.0.2.6");
  const { session } = (await platform.ask("POST", "/api/v1/sessions", { key, body: {} })).json;
  const at = `/api/v1/sessions/${session.id}`;
  const { text: content } = await platform.ask("GET", `${at}/export`, { key, headers });
  const imported = await platform.ask("POST", "/api/v1/sessions/import", { key, headers, body: { content } });
  const { share } = (await platform.ask("POST", `${at}/shares`, { key, headers, body: {} })).json;
  for (let count = 0; count < 5; count++)
    await platform.ask("GET", "/api/v1/shared", {
      headers: { "X-Share-Token": share.token, ...from("192.0.2.7") },
    });
  await expect
    .poll(() => noted("session", "office"))
    .toMatchObject([
      { action: "session.read_by_link", owner: share.id, target: session.id, address: "192.0.2.7" },
      { action: "session.shared", owner: "ann", address: "192.0.2.6" },
      { action: "session.imported", target: imported.json.session.id, address: "192.0.2.6" },
      { action: "session.exported", target: session.id, details: { format: "jsonl" }, address: "192.0.2.6" },
    ]);
});

it("invalid link tokens are audited with their address, and repeats are counted", async () => {
  for (const token of ["guess-1", "guess-2"])
    await platform.ask("GET", "/api/v1/shared", {
      headers: { "X-Share-Token": token, ...from("192.0.2.8") },
    });
  // Who shows no token has shown nothing wrong.
  await platform.ask("GET", "/api/v1/shared", { headers: from("192.0.2.9") });
  await expect
    .poll(() => noted("link.refused"))
    .toMatchObject([{ name: "unknown", target: "unknown", address: "192.0.2.8" }]);
  expect(JSON.stringify(await noted("link"))).not.toContain("guess");
});

it("the card names no agents to anonymous callers unless the operator enables that", async () => {
  const open = await GuardedPlatform.start({ PARLEY_CARD_AGENTS: "on" });
  onTestFinished(() => open.stop());
  const namesAt = async (place: GuardedPlatform) => {
    const { json } = await place.ask("GET", "/.well-known/agent-card.json");
    return json.skills.map(({ id }: { id: string }) => id);
  };
  expect(await namesAt(platform)).toEqual(["delegate"]);
  expect(await namesAt(open)).toEqual(["delegate", "helper"]);
}, 180_000);
