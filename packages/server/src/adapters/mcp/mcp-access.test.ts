import { afterAll, beforeAll, expect, it } from "vitest";
import { GuardedPlatform } from "../../access/testing/guarded-platform.ts";

const OIDC = {
  ...{ PARLEY_OIDC_ISSUER: "https://login.example.com", PARLEY_OIDC_CLIENT_ID: "parley" },
  ...{
    PARLEY_OIDC_AUDIENCE: "https://parley.example.com/mcp",
    PARLEY_PUBLIC_URL: "https://parley.example.com",
  },
};
const HEADERS = { Accept: "application/json, text/event-stream" };

let platform: GuardedPlatform;
beforeAll(async () => {
  platform = await GuardedPlatform.start(OIDC);
}, 180_000);
afterAll(() => platform.stop());

function ask(key: string | undefined, method: string, params: object = {}) {
  const body = { jsonrpc: "2.0", id: 1, method, params };
  return platform.ask("POST", "/mcp", { ...(key && { key }), headers: HEADERS, body });
}

it("MCP answers 401 in JSON-RPC to a missing or wrong key, and names the authorization server (S4.2)", async () => {
  for (const key of [undefined, "parley_wrong"]) {
    const { status, headers, json } = await ask(key, "tools/list");
    expect(status).toBe(401);
    expect(json).toMatchObject({ jsonrpc: "2.0", id: null, error: { data: { code: "not_authenticated" } } });
    expect(headers.get("www-authenticate")).toContain("Bearer realm=");
    const [, metadata = ""] = /resource_metadata="([^"]+)"/.exec(headers.get("www-authenticate") ?? "") ?? [];
    expect(metadata).toBe("https://parley.example.com/.well-known/oauth-protected-resource/mcp");
  }
  for (const path of ["", "/mcp"]) {
    const { json } = await platform.ask("GET", `/.well-known/oauth-protected-resource${path}`);
    expect(json).toMatchObject({
      resource: "https://parley.example.com/mcp",
      authorization_servers: ["https://login.example.com"],
    });
  }
  const { headers } = await platform.ask("GET", "/api/v1/sessions");
  expect(headers.get("www-authenticate")).toBe('Bearer realm="parley"');
});

it("MCP lets a viewer read, and use the tools that only read", async () => {
  const { secret } = await platform.key("vera", "home", { role: "viewer" });
  const { json } = await ask(secret, "tools/list");
  const names = json.result.tools.map(({ name }: { name: string }) => name);
  expect(names).toEqual(["list_sessions", "read_session", "await_answer"]);
  const asked = await ask(secret, "tools/call", { name: "ask_supervisor", arguments: { message: "Hello" } });
  expect(asked.json.result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("Viewers only read") }],
  });
  expect((await ask(secret, "resources/list")).json.result).toEqual({ resources: [] });
});

it("MCP shows users their own sessions only (invariant 20)", async () => {
  const [ann, bob] = [await platform.key("ann", "home"), await platform.key("bob", "home")];
  const { json } = await platform.ask("POST", "/api/v1/sessions", {
    key: ann.secret,
    body: { title: "Hers" },
  });
  const listed = async (key: string) => (await ask(key, "resources/list")).text;
  expect(await listed(ann.secret)).toContain(json.session.id);
  expect(await listed(bob.secret)).not.toContain(json.session.id);
});

it("MCP results link to the public URL, not to the proxy's", async () => {
  const { secret } = await platform.key("zoe", "home");
  await platform.ask("POST", "/api/v1/sessions", { key: secret, body: { title: "Hers" } });
  const { json } = await ask(secret, "tools/call", { name: "list_sessions", arguments: {} });
  const [{ session, page }] = json.result.structuredContent.sessions;
  expect(page).toBe(`https://parley.example.com/s/${session}`);
});
