import { request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GuardedPlatform } from "./testing/guarded-platform.ts";

const APP = "https://app.example";
let platform: GuardedPlatform;
beforeAll(async () => {
  platform = await GuardedPlatform.start({
    ...{ PARLEY_HOSTS: "parley.example", PARLEY_ORIGINS: APP },
    PARLEY_PUBLIC_URL: "https://public.example",
  });
}, 180_000);
afterAll(() => platform.stop());

interface Answer {
  readonly status: number | undefined;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

// Not by fetch, which writes Host and Origin itself.
function ask(
  path: string,
  headers: Record<string, string>,
  method = "GET",
  url = platform.url,
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request({ host: hostname, port, method, path, headers }, async (response) =>
      resolve({ status: response.statusCode, headers: response.headers, body: await text(response) }),
    );
    asked.on("error", reject).end();
  });
}

describe("a publicly reachable server", () => {
  it("answers only to its own host names", async () => {
    for (const host of ["parley.example", "PARLEY.example:80", "public.example:443", "localhost", "[::1]:1"])
      expect([host, (await ask("/healthz", { host })).status]).toEqual([host, 200]);
    for (const host of [
      "evil.example",
      "parley.example.evil.example",
      "192.0.2.7",
      "parley.example@evil",
      "*",
    ])
      expect([host, (await ask("/healthz", { host })).status]).toEqual([host, 403]);
  });

  it("accepts requests from its own and the listed origins, and answers their preflights (CORS)", async () => {
    const asked = { host: "parley.example", origin: APP, "access-control-request-method": "POST" };
    const before = await ask("/api/v1/sessions", asked, "OPTIONS");
    expect(before.status).toBe(204);
    expect(before.headers).toMatchObject({
      "access-control-allow-origin": APP,
      "access-control-allow-headers": expect.stringContaining("Authorization"),
      vary: "Origin",
    });
    expect(before.headers).not.toHaveProperty("access-control-allow-credentials");
    const own = await ask("/api/v1/sessions", {
      ...{ host: "parley.example", origin: APP, "sec-fetch-site": "cross-site" },
      authorization: `Bearer ${platform.operator}`,
    });
    expect([own.status, own.headers["access-control-allow-origin"]]).toEqual([200, APP]);
    // Why it was refused can be read there too.
    const refused = await ask("/api/v1/sessions", { host: "parley.example", origin: APP });
    expect([refused.status, refused.headers["access-control-allow-origin"]]).toEqual([401, APP]);
    const tls = await ask("/healthz", { host: "parley.example", origin: "https://parley.example" });
    expect(tls.status).toBe(200);
    for (const origin of ["https://evil.example", "null", `${APP}.evil.example`, "http://app.example"]) {
      const { status, headers } = await ask("/api/v1/sessions", { ...asked, origin }, "OPTIONS");
      expect([origin, status]).toEqual([origin, 403]);
      expect(headers).not.toHaveProperty("access-control-allow-origin");
    }
  });

  it("sends security headers with every response", async () => {
    const key = { host: "localhost", authorization: `Bearer ${platform.operator}` };
    for (const path of [
      "/healthz",
      "/.well-known/agent-card.json",
      "/api/v1/sessions",
      "/a2a/rest/tasks",
      "/no",
    ])
      expect((await ask(path, key)).headers, path).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "strict-transport-security": "max-age=31536000",
        "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
      });
  });

  it("names its public URL in its card", async () => {
    const card = JSON.parse((await ask("/.well-known/agent-card.json", { host: "localhost" })).body);
    expect(card.url).toBe("https://public.example/");
  });
});

describe("the agents' ports", () => {
  it("are on loopback, serve their cards, and accept calls from the supervisor only", async () => {
    const { json } = await platform.ask("GET", "/api/v1/agents", { key: platform.operator });
    const [helper] = json.agents;
    expect(helper).toMatchObject({ name: "helper", state: "up", hosted: true });
    const host = new URL(helper.url).host;
    const card = await ask("/.well-known/agent-card.json", { host }, "GET", helper.url);
    expect(card.status).toBe(200);
    expect(JSON.parse(card.body).securityRequirements).toEqual([{ schemes: { parley: {} } }]);
    for (const key of [undefined, platform.operator, "Bearer x"]) {
      const headers = { host, ...(key !== undefined && { authorization: `Bearer ${key}` }) };
      const { status, body } = await ask("/a2a/rest/tasks", headers, "GET", helper.url);
      expect(status).toBe(401);
      expect(body).toContain("accepts calls of its supervisor only");
    }
  });

  it("are still reached by the gateway and the supervisor, and their answers belong to the calling user", async () => {
    const { secret: key } = await platform.key("ann", "home");
    const answered = async (session: object, content: string) => {
      const { json: made } = await platform.ask("POST", "/api/v1/sessions", { key, body: session });
      const at = `/api/v1/sessions/${made.session.id}`;
      const { json: sent } = await platform.ask("POST", `${at}/messages`, { key, body: { content } });
      const run = async () => (await platform.ask("GET", `${at}/runs/${sent.run.id}`, { key })).json.run;
      await expect.poll(async () => (await run()).status).toBe("completed");
      return { run: await run(), events: (await platform.ask("GET", `${at}/events`, { key })).json.events };
    };
    expect((await answered({ agent: "helper" }, "Hello")).run.agent).toBe("helper");
    const { events } = await answered({}, "ask the helper: what can you do?");
    const plans = events.filter(({ type }: { type: string }) => type === "agent_plan");
    expect(plans.at(-1)?.payload.steps).toMatchObject([{ agent: "helper", state: "completed" }]);
  });
});
