import { createHmac, createPublicKey } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CookieClient } from "./testing/cookie-client.ts";
import { PeoplePlatform } from "./testing/people-platform.ts";
import { CLIENT_SECRET, otherKey, type RealProvider } from "./testing/real-provider.ts";

let platform: PeoplePlatform;
let provider: RealProvider;
beforeAll(async () => {
  platform = await PeoplePlatform.start();
  provider = platform.provider;
}, 180_000);
afterAll(() => platform.stop());

const api = (path: string) => `${platform.url}/api/v1${path}`;

async function asBearer(token: string, path = "/me") {
  const answer = await fetch(api(path), { headers: { Authorization: `Bearer ${token}` } });
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect
  return { status: answer.status, headers: answer.headers, json: (await answer.json()) as any };
}

describe("bearer tokens from a real provider", () => {
  it("are accepted, and each subject is a user with a personal workspace (S4.2)", async () => {
    const { status, json } = await asBearer(await provider.accessToken());
    expect(status).toBe(200);
    expect(json).toMatchObject({
      user: { id: expect.stringMatching(/^usr_/) },
      workspace: { role: "owner" },
    });
    const again = await asBearer(provider.forged({}));
    expect(again.json.user.id).toBe(json.user.id);
    const other = await asBearer(provider.forged({ sub: "somebody else" }));
    expect(other.json.user.id).not.toBe(json.user.id);
  });

  it.each([
    ["one that has expired", () => provider.forged({ exp: 1_000 }), /expired/],
    ["one for another audience", () => provider.accessToken("urn:other"), /audience urn:parley/],
    ["one without an audience", () => provider.forged({ aud: undefined }), /audience/],
    ["one from another issuer", () => provider.forged({ iss: "https://evil.example" }), /another issuer/],
    ["one that never expires", () => provider.forged({ exp: undefined }), /exp/],
    ["one that is not valid yet", () => provider.forged({ nbf: 9_999_999_999 }), /nbf/],
    ["one without a subject", () => provider.forged({ sub: undefined }), /sub/],
    ["one signed with another key", () => provider.forged({}, { key: otherKey() }), /not one that/],
    ["one that names an unknown key", () => provider.forged({}, { header: { kid: "two" } }), /not one that/],
    ["one that is truncated", async () => (await provider.accessToken()).slice(0, -5), /not one that/],
    ["one with a changed character", async () => changed(await provider.accessToken()), /not one that/],
    ["one that is not signed", () => unsigned(provider.forged({})), /must be signed/],
    ["one signed with the public key as a secret", () => confused(provider), /must be signed/],
    ["no token at all", () => "hello", /not one that/],
  ])("%s is rejected with a remedy", async (_, token, reason) => {
    const { status, headers, json } = await asBearer(await token());
    expect([status, json.code, json.detail]).toEqual([
      401,
      "not_authenticated",
      expect.stringMatching(reason),
    ]);
    expect(headers.get("www-authenticate")).toMatch(/^Bearer/);
  });

  it("a request without credentials is rejected with how to sign in", async () => {
    const answer = await fetch(api("/sessions"));
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain(`Sign in with ${new URL(provider.issuer).host}`);
  });

  it("a stream ends when its token expires", async () => {
    // The clocks of provider and platform may differ by ten seconds.
    const token = provider.forged({ exp: Math.floor(Date.now() / 1_000) - 7 });
    const answer = await fetch(api("/events"), { headers: { Authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("event: ready");
    expect((await asBearer(token)).status).toBe(401);
  });
});

describe("a login", () => {
  it("runs on the server with PKCE, state and nonce, and leaves only an HttpOnly cookie", async () => {
    const client = new CookieClient();
    const begun = await client.ask(`${platform.url}/auth/login?to=/s/inbox`);
    const sent = new URL(begun.headers.get("location") ?? "");
    expect(Object.fromEntries(sent.searchParams)).toMatchObject({
      ...{ response_type: "code", code_challenge_method: "S256", client_id: "parley" },
      ...{ state: expect.any(String), nonce: expect.any(String), code_challenge: expect.any(String) },
    });
    expect(begun.headers.get("set-cookie")).toMatch(/Path=\/; .*HttpOnly; SameSite=Lax/);
    const done = await client.signIn(platform.url, "ann", "/s/inbox");
    expect([done.status, done.headers.get("location")]).toEqual([302, "/s/inbox"]);
    const cookie = done.headers.getSetCookie().find((line) => line.startsWith("parley_login="));
    expect(cookie).toMatch(/Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict/);
    const me = await (await client.ask(api("/me"))).json();
    expect(me).toMatchObject({ user: { name: "ann", email: "ann@example.com" }, isLogin: true });
  });

  it("redirects only to our own pages", async () => {
    for (const to of [
      "https://evil.example/s/",
      "//evil.example/s/",
      "/\\evil.example/s/",
      "/api/v1/me",
      "javascript:x",
    ]) {
      const done = await new CookieClient().signIn(platform.url, "ann", to);
      expect([to, done.headers.get("location")]).toEqual([to, "/s/"]);
    }
  });

  it("rejects a callback in another browser, with another state, or a second time", async () => {
    const client = new CookieClient();
    const callback = await client.callbackOf(platform.url, "ann");
    const elsewhere = await new CookieClient().ask(callback);
    expect([elsewhere.status, await elsewhere.text()]).toEqual([
      400,
      expect.stringContaining("not started in this browser"),
    ]);
    const wrong = new URL(callback);
    wrong.searchParams.set("state", `${wrong.searchParams.get("state")?.slice(0, 8)}${"x".repeat(35)}`);
    expect((await client.ask(wrong.href)).status).toBe(400);
    const cookies = client.cookies(callback);
    expect((await client.ask(callback)).status).toBe(302);
    const twice = await fetch(callback, { headers: { cookie: cookies }, redirect: "manual" });
    expect(twice.status).toBe(400);
  });

  it("authorizes changes only from our own pages (the cookie alone is not enough)", async () => {
    const client = new CookieClient();
    await client.signIn(platform.url, "ann");
    const post = (headers: Record<string, string>) =>
      client.ask(api("/sessions"), {
        ...{ method: "POST", body: '{"title":"Mine"}' },
        headers: { "Content-Type": "application/json", ...headers },
      });
    expect((await post({})).status).toBe(401);
    expect((await post({ Origin: "https://evil.example" })).status).toBe(403);
    expect((await post({ Origin: platform.url })).status).toBe(201);
  });

  it("shows each user only their own data (invariant 20)", async () => {
    const [ann, bob] = [new CookieClient(), new CookieClient()];
    await ann.signIn(platform.url, "ann");
    await bob.signIn(platform.url, "bob");
    const headers = { "Content-Type": "application/json", Origin: platform.url };
    const made = await ann.ask(api("/sessions"), { method: "POST", headers, body: "{}" });
    const { session } = (await made.json()) as { session: { id: string } };
    expect((await ann.ask(api(`/sessions/${session.id}`))).status).toBe(200);
    const [foreign, missing] = [
      await bob.ask(api(`/sessions/${session.id}`)),
      await bob.ask(api(`/sessions/${"x".repeat(session.id.length)}`)),
    ];
    expect(foreign.status).toBe(404);
    expect((await foreign.text()).replaceAll(session.id, "ID")).toBe(
      (await missing.text()).replaceAll("x".repeat(session.id.length), "ID"),
    );
    expect(await (await bob.ask(api("/sessions"))).json()).toMatchObject({ sessions: [] });
  });

  it("survives a restart, and signing out ends it and its open streams", async () => {
    const client = new CookieClient();
    await client.signIn(platform.url, "cat");
    await platform.restart();
    expect((await client.ask(api("/me"))).status).toBe(200);
    const cookies = client.cookies(platform.url);
    const stream = await client.ask(api("/events"));
    const refused = await client.ask(`${platform.url}/auth/logout`, { method: "POST" });
    expect(refused.status).toBe(403);
    const headers = { Origin: platform.url };
    const out = await client.ask(`${platform.url}/auth/logout`, { method: "POST", headers });
    expect(out.status).toBe(204);
    expect(await stream.text()).toContain("event: ready");
    expect(client.cookies(platform.url)).not.toContain("parley_login");
    expect((await fetch(api("/me"), { headers: { cookie: cookies } })).status).toBe(401);
  }, 180_000);
});

describe("an unavailable provider", () => {
  it("is reported on the page and as a problem response; existing logins and tokens with a cached key keep working", async () => {
    const client = new CookieClient();
    await client.signIn(platform.url, "ann");
    const token = await provider.accessToken();
    expect((await asBearer(token)).status).toBe(200);
    await provider.goAway();
    expect((await client.ask(api("/me"))).status).toBe(200);
    expect((await asBearer(token)).status).toBe(200);
    await platform.restart();
    expect((await client.ask(api("/me"))).status).toBe(200);
    const page = await fetch(`${platform.url}/auth/login`, { redirect: "manual" });
    expect([page.status, page.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(await page.text()).toContain(
      `The identity provider ${new URL(provider.issuer).host} cannot be reached`,
    );
    const unknown = await asBearer(token);
    expect([unknown.status, unknown.json.code]).toEqual([503, "unavailable"]);
    await provider.comeBack();
    expect((await asBearer(token)).status).toBe(200);
    expect((await new CookieClient().signIn(platform.url, "ann")).status).toBe(302);
  }, 180_000);

  it("leaks no tokens, codes or secrets into the log", async () => {
    const client = new CookieClient();
    const callback = await client.callbackOf(platform.url, "ann");
    await client.ask(callback);
    await client.ask(callback);
    const token = await provider.accessToken();
    await asBearer(token);
    await asBearer(`${token}x`);
    const cookie = client.cookies(platform.url);
    const [, secret = "none"] = /parley_login=[^.]+\.([\w-]+)/.exec(cookie) ?? [];
    const code = new URL(callback).searchParams.get("code") ?? "none";
    for (const canary of [CLIENT_SECRET, token, token.split(".")[2] ?? "none", secret, code])
      expect(platform.output.includes(canary)).toBe(false);
    await expect.poll(() => platform.output).toContain("signed in");
  });
});

describe("a login that is due for renewal", () => {
  it("is confirmed by the provider, and ends when the provider no longer knows the user", async () => {
    const hourMs = 3_600_000;
    const client = new CookieClient();
    await client.signIn(platform.url, "dan");
    const before = provider.refreshed;
    expect((await client.ask(api("/me"))).status).toBe(200);
    expect(provider.refreshed).toBe(before);
    await platform.restart({ laterMs: 1.1 * hourMs });
    expect((await client.ask(api("/me"))).status).toBe(200);
    expect((await client.ask(api("/me"))).status).toBe(200);
    expect(provider.refreshed).toBe(before + 1);
    provider.dismissed.add("dan");
    await platform.restart({ laterMs: 2.2 * hourMs });
    expect((await client.ask(api("/me"))).status).toBe(401);
  }, 180_000);
});

function changed(token: string): string {
  const [header = "", claims = "", signature = ""] = token.split(".");
  const other = JSON.parse(Buffer.from(claims, "base64url").toString());
  return [
    header,
    Buffer.from(JSON.stringify({ ...other, sub: "admin" })).toString("base64url"),
    signature,
  ].join(".");
}

function unsigned(token: string): string {
  const header = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url");
  return `${header}.${token.split(".")[1]}.`;
}

/** A token that passes a verifier which lets the token choose its algorithm. */
function confused({ key, forged }: RealProvider): string {
  const claims = forged.call(provider, {}).split(".")[1];
  const header = Buffer.from('{"alg":"HS256","kid":"one","typ":"at+jwt"}').toString("base64url");
  const secret = createPublicKey(key).export({ type: "spki", format: "pem" });
  const signature = createHmac("sha256", secret).update(`${header}.${claims}`).digest("base64url");
  return `${header}.${claims}.${signature}`;
}
