import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CookieClient } from "./testing/cookie-client.ts";
import { PeoplePlatform } from "./testing/people-platform.ts";

let platform: PeoplePlatform;
beforeAll(async () => {
  platform = await PeoplePlatform.start({ PARLEY_OPERATORS: "ops@example.com" });
}, 180_000);
afterAll(() => platform.stop());

/** A signed-in user and their API client. */
async function somebody(name: string) {
  const client = new CookieClient();
  await client.signIn(platform.url, name);
  const ask = (method: string, path: string, body?: unknown, headers = {}) =>
    client.api(platform.url, method, path, body, headers);
  const id: string = (await ask("GET", "/me")).json.user.id;
  return { client, ask, id };
}

const byKey = (secret: string) => ({ Authorization: `Bearer ${secret}` });

/** Sends a request with only these headers. */
async function bare(method: string, path: string, headers: Record<string, string>) {
  const answer = await fetch(`${platform.url}/api/v1${path}`, { method, headers });
  return { status: answer.status, text: await answer.text() };
}

/** A team of Ann's with Bob as another owner. */
async function team(annName: string, bobName: string) {
  const [ann, bob] = [await somebody(annName), await somebody(bobName)];
  const { workspace } = (await ann.ask("POST", "/workspaces", { name: "Team" })).json;
  const members = `/workspaces/${workspace.id}/members`;
  expect((await ann.ask("POST", members, { userId: bob.id, role: "owner" })).status).toBe(201);
  return { ann, bob, members, there: { "X-Workspace": workspace.id } };
}

describe("tokens of the wrong kind", () => {
  it.each([
    ["an ID token with a login's nonce", { nonce: "n-1" }, {}],
    ["an ID token with an at_hash", { at_hash: "x" }, {}],
    ["an ID token by its typ claim", { typ: "ID" }, {}],
    ["a refreshed ID token without login claims", { azp: "web" }, { typ: "JWT" }],
    ["an ID token without a type", {}, { typ: undefined }],
    [
      "an ID token with several audiences, including our client",
      { aud: ["urn:parley", "parley"], scope: "openid" },
      {},
    ],
    ["an ID token of a client whose id is our audience", { azp: "urn:parley", scope: "openid" }, {}],
    ["a client credentials token", { client_id: "urn:parley" }, {}],
    ["a refresh token by its typ claim", { typ: "Refresh" }, {}],
    ["a logout token", { events: { "http://schemas.openid.net/event/backchannel-logout": {} } }, {}],
    ["a token of another type by its header", {}, { typ: "dpop+jwt" }],
  ])("%s is rejected despite the right issuer, audience and signature", async (_, claims, header) => {
    const token = platform.provider.forged(claims, { header });
    const { status, text } = await bare("GET", "/me", byKey(token));
    expect([status, text]).toEqual([401, expect.stringContaining("not an access token")]);
  });

  it("an access token is accepted with any type that providers use", async () => {
    for (const [claims, header] of [
      [{}, {}],
      [{ typ: "Bearer" }, { typ: "JWT" }],
      [{ scope: "api" }, { typ: undefined }],
      [{ client_id: "robot" }, { typ: "JWT" }],
      [{ azp: "parley", scope: "openid", aud: ["urn:parley", "account"] }, { typ: "JWT" }],
      [{}, { typ: "application/at+jwt" }],
    ] as const)
      expect((await bare("GET", "/me", byKey(platform.provider.forged(claims, { header })))).status).toBe(
        200,
      );
  });
});

describe("a login", () => {
  it("never redirects to another site, even when the browser's stored state was tampered with", async () => {
    for (const to of ["https://evil.example/", "//evil.example/s/", "/api/v1/me"]) {
      const client = new CookieClient();
      const callback = await client.callbackOf(platform.url, "mallory");
      const [name = "", value = ""] = client.cookies(platform.url).split("=");
      const kept = JSON.parse(Buffer.from(value, "base64url").toString());
      const written = Buffer.from(JSON.stringify({ ...kept, to })).toString("base64url");
      const headers = { cookie: `${name}=${written}` };
      const answer = await fetch(callback, { headers, redirect: "manual" });
      expect([to, answer.status, answer.headers.get("location")]).toEqual([to, 302, "/s/"]);
    }
  });

  it("creates a new session id, so a planted one is worthless (session fixation)", async () => {
    const client = new CookieClient();
    const callback = await client.callbackOf(platform.url, "fay");
    const planted = `parley_login=${"A".repeat(16)}.${"B".repeat(43)}`;
    const cookie = `${planted}; ${client.cookies(platform.url)}`;
    const done = await fetch(callback, { headers: { cookie }, redirect: "manual" });
    const [made = ""] = done.headers.getSetCookie().filter((line) => line.startsWith("parley_login="));
    expect(made).not.toContain("AAAA");
    expect((await bare("GET", "/me", { cookie: planted })).status).toBe(401);
    expect((await bare("GET", "/me", { cookie: made.split(";")[0] ?? "" })).status).toBe(200);
  });

  it("does not authorize changes from another site's page, in any protocol", async () => {
    const { client } = await somebody("gus");
    const cookie = client.cookies(platform.url);
    for (const [method, path] of [
      ["POST", "/api/v1/keys"],
      ["POST", "/api/v1/workspaces"],
      ["DELETE", "/api/v1/sessions/x"],
      ["POST", "/"],
      ["POST", "/a2a/jsonrpc"],
      ["POST", "/a2a/rest/message:send"],
      ["POST", "/auth/logout"],
    ] as const) {
      const send = (headers: Record<string, string>) =>
        fetch(`${platform.url}${path}`, {
          ...{ method, ...(method === "POST" && { body: "{}" }) },
          headers: { cookie, "Content-Type": "application/json", ...headers },
        });
      for (const headers of [{}, { Origin: "null" }, { Origin: "https://evil.example" }])
        expect([path, headers, [401, 403].includes((await send(headers)).status)]).toEqual([
          path,
          headers,
          true,
        ]);
    }
    expect((await bare("GET", "/me", { cookie })).status).toBe(200);
  });
});

describe("a workspace member", () => {
  it("who is removed loses access through their keys and links, open streams included (S4.2)", async () => {
    const { ann, bob, members, there } = await team("hal", "ida");
    const { secret } = (await bob.ask("POST", "/keys", { name: "mine", role: "owner" }, there)).json;
    const { session } = (await bob.ask("POST", "/sessions", {}, there)).json;
    const { share } = (await bob.ask("POST", `/sessions/${session.id}/shares`, {}, there)).json;
    const token = { "X-Share-Token": share.token };
    expect((await bare("GET", "/me", byKey(secret))).status).toBe(200);
    expect((await bare("GET", "/shared", token)).status).toBe(200);
    const streams = [
      await fetch(`${platform.url}/api/v1/events`, { headers: byKey(secret) }),
      await fetch(`${platform.url}/api/v1/shared/stream`, { headers: token }),
    ];
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    expect((await ann.ask("DELETE", `${members}/${bob.id}`)).status).toBe(204);
    // Resolves only if the streams end.
    for (const stream of streams) await stream.text();
    expect((await bare("GET", "/me", byKey(secret))).status).toBe(401);
    const never = await bare("GET", "/shared", { "X-Share-Token": "x".repeat(43) });
    expect(await bare("GET", "/shared", token)).toEqual(never);
    // A member who rejoins has the new role, and so do their keys.
    await ann.ask("POST", members, { userId: bob.id, role: "viewer" });
    expect((await bare("GET", "/me", byKey(secret))).text).toContain('"role":"viewer"');
    expect((await bare("GET", "/keys", byKey(secret))).status).toBe(403);
  });

  it("whose role is reduced loses the rights at once, by login and by key, and can still read", async () => {
    const { ann, bob, members, there } = await team("jon", "kim");
    const { secret } = (await bob.ask("POST", "/keys", { name: "mine", role: "owner" }, there)).json;
    const stream = await fetch(`${platform.url}/api/v1/events`, { headers: byKey(secret) });
    const reader = stream.body?.getReader();
    await reader?.read();
    expect((await ann.ask("PATCH", `${members}/${bob.id}`, { role: "viewer" })).status).toBe(200);
    const made = { "Content-Type": "application/json" };
    const post = await fetch(`${platform.url}/api/v1/sessions`, {
      ...{ method: "POST", body: "{}", headers: { ...byKey(secret), ...made } },
    });
    expect(post.status).toBe(403);
    expect((await bob.ask("POST", "/sessions", {}, there)).status).toBe(403);
    expect((await bob.ask("GET", "/audit", undefined, there)).status).toBe(403);
    expect((await bob.ask("GET", members)).json.invitations).toEqual([]);
    // Viewers can still read.
    expect((await bob.ask("GET", "/sessions", undefined, there)).status).toBe(200);
    await reader?.cancel();
  });

  it("cannot be removed from their personal workspace, even by another owner", async () => {
    const [lea, max] = [await somebody("lea"), await somebody("max")];
    const own = (await lea.ask("GET", "/me")).json.workspace.id;
    await lea.ask("POST", `/workspaces/${own}/members`, { userId: max.id, role: "owner" });
    for (const [method, body] of [
      ["PATCH", { role: "viewer" }],
      ["DELETE", undefined],
    ] as const)
      expect((await max.ask(method, `/workspaces/${own}/members/${lea.id}`, body)).status).toBe(409);
    expect((await lea.ask("DELETE", `/workspaces/${own}/members/${max.id}`)).status).toBe(204);
  });
});

describe("an invitation", () => {
  it("admits its email address once: not again after a removal, not by guessing, and no other address", async () => {
    const ann = await somebody("nia");
    const { workspace } = (await ann.ask("POST", "/workspaces", { name: "Club" })).json;
    const members = `/workspaces/${workspace.id}/members`;
    await ann.ask("POST", members, { email: "OTTO@example.com", role: "editor" });
    const pat = await somebody("pat");
    // The workspace id is not secret and grants nothing.
    const [known, none] = [members, "/workspaces/wsp_none/members"];
    const [foreign, missing] = [await pat.ask("GET", known), await pat.ask("GET", none)];
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    expect((await pat.ask("PUT", "/me/workspace", { id: workspace.id })).status).toBe(404);
    const otto = await somebody("otto");
    expect((await otto.ask("GET", members)).status).toBe(200);
    expect((await ann.ask("GET", members)).json.invitations).toEqual([]);
    await ann.ask("DELETE", `${members}/${otto.id}`);
    await otto.client.signIn(platform.url, "otto");
    expect((await otto.ask("GET", members)).status).toBe(404);
    const { entries } = (await ann.ask("GET", "/audit", undefined, { "X-Workspace": workspace.id })).json;
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      ...["member.removed", "member.joined", "member.invited", "workspace.created"],
    ]);
  });

  it("to the default workspace makes an operator, and only operators can grant one (S4.2)", async () => {
    const [ops, eve] = [await somebody("ops"), await somebody("eve")];
    const there = { "X-Workspace": "default" };
    const add = { url: "http://127.0.0.1:9/", name: "another" };
    expect((await eve.ask("GET", "/me", undefined, there)).status).toBe(404);
    expect((await eve.ask("POST", "/agents", add)).status).toBe(403);
    expect((await ops.ask("POST", "/agents", add)).status).toBe(403);
    expect((await ops.ask("POST", "/agents", add, there)).status).not.toBe(403);
    const members = "/workspaces/default/members";
    expect((await eve.ask("POST", members, { userId: eve.id, role: "owner" })).status).toBe(404);
    expect((await ops.ask("POST", members, { userId: eve.id, role: "owner" }, there)).status).toBe(201);
    expect((await eve.ask("POST", "/agents/another/recheck", undefined, there)).status).toBe(200);
    expect((await ops.ask("DELETE", `${members}/${eve.id}`, undefined, there)).status).toBe(204);
    expect((await eve.ask("POST", "/agents/another/recheck", undefined, there)).status).toBe(404);
  });
});

it("nobody can create a key for a login user, even before that user's first login", async () => {
  const quinn = await somebody("quinn");
  const { status } = await quinn.ask("POST", "/keys", { name: "x", owner: `usr_${"x".repeat(24)}` });
  expect(status).toBe(403);
});
