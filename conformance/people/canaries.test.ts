import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { backUp } from "@parley/server/data";
import { requestBody } from "@parley/testing/request-body.ts";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it, onTestFinished } from "vitest";
import { CookieClient } from "./testing/cookie-client.ts";
import { PeoplePlatform } from "./testing/people-platform.ts";
import { CLIENT_SECRET } from "./testing/real-provider.ts";

/** A trace collector and everything it received. */
async function collector(): Promise<{ url: string; collected(): string }> {
  let collected = "";
  const server = createServer(async (request, response) => {
    collected += JSON.stringify(request.rawHeaders) + (await requestBody(request));
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, collected: () => collected };
}

/** Every byte of every file, except the one that may hold a secret. */
async function everyByteIn(folder: string, but: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const wanted = files.filter((each) => each.isFile() && each.name !== but);
  const read = await Promise.all(
    wanted.map((each) => readFile(join(each.parentPath, each.name), "latin1").catch(() => "")),
  );
  return read.join("\n");
}

it("credentials of users, keys, logins and links appear in no log, event, entry, metric, trace, backup or response except the one that creates them (invariant 20)", {
  timeout: 240_000,
}, async () => {
  const traces = await collector();
  const platform = await PeoplePlatform.start({
    ...{ PARLEY_LOG: "trace", OTEL_EXPORTER_OTLP_ENDPOINT: traces.url, PARLEY_OPERATORS: "ops@example.com" },
  });
  onTestFinished(() => platform.stop());
  const { url, provider } = platform;
  const data = join(platform.folder, "data");
  /** Every secret of the test, by name. */
  const secrets = new Map<string, string>([["client secret", CLIENT_SECRET]]);
  let responses = "";
  const client = new CookieClient();
  const ask = async (method: string, path: string, body?: unknown, headers = {}) => {
    const answer = await client.api(url, method, path, body, headers);
    responses += answer.text;
    return answer;
  };

  // A user signs in, with and without success, and uses a token.
  const callback = await client.callbackOf(url, "ops");
  secrets.set("code", new URL(callback).searchParams.get("code") ?? "");
  secrets.set("attempt", client.cookies(url).split("=")[1] ?? "");
  await client.ask(callback);
  responses += await (await client.ask(callback)).text();
  const cookie = /parley_login=[^.]+\.([\w-]+)/.exec(client.cookies(url))?.[1] ?? "";
  secrets.set("login cookie", cookie);
  for (const [place, token] of provider.refreshTokens.entries()) secrets.set(`refresh token ${place}`, token);
  const bearer = await provider.accessToken();
  secrets.set("access token", bearer.split(".")[2] ?? "");
  for (const token of [bearer, `${bearer}x`, provider.forged({ aud: "else" })]) {
    const answer = await fetch(`${url}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } });
    responses += JSON.stringify([...answer.headers]) + (await answer.text());
  }

  // Keys and links are created, recreated, used, listed and revoked; only the creating responses may show them.
  const there = { "X-Workspace": "default" };
  const made = async (path: string, body: object, header: string) => {
    const send = () => client.api(url, "POST", path, body, { ...there, "Idempotency-Key": header });
    const [first, again] = [await send(), await send()];
    expect([first.status, again.text]).toEqual([201, first.text]);
    secrets.set(`Idempotency-Key of ${path}`, header);
    return first.json;
  };
  const key = await made("/keys", { name: "ci", role: "owner" }, "canary-of-the-key-c1f0");
  secrets.set("API key", key.secret.slice(key.key.prefix.length));
  const { session } = (await ask("POST", "/sessions", { title: "Shared" }, there)).json;
  const shares = `/sessions/${session.id}/shares`;
  const { share } = await made(shares, {}, "canary-of-the-link-77ab");
  secrets.set("link", share.token);
  const { proof } = JSON.parse(await readFile(join(data, "server.json"), "utf8"));
  secrets.set("folder's proof", proof);
  const byFolder = { headers: { "X-Folder-Proof": proof } };
  responses += await (await fetch(`${url}/api/v1/keys`, byFolder)).text();
  responses += await (await fetch(`${url}/api/v1/sessions`, byFolder)).text();
  const byKey = { Authorization: `Bearer ${key.secret}` };
  for (const path of [
    "/api/v1/me",
    "/api/v1/nothing",
    "/metrics",
    "/status",
    "/a2a/rest/tasks",
    "/api/v1/keys",
  ])
    for (const headers of [byKey, { Authorization: `Bearer ${key.secret}x` }, { "X-API-Key": key.secret }])
      responses += await (await fetch(url + path, { headers })).text();
  for (const path of ["", "/events", "/replay?until=1", "/none"])
    for (const token of [share.token, `${share.token}x`]) {
      const answer = await fetch(`${url}/api/v1/shared${path}`, { headers: { "X-Share-Token": token } });
      responses += await answer.text();
    }
  await ask("POST", `/sessions/${session.id}/messages`, { content: "Hello" }, there);
  await ask("POST", "/workspaces/default/members", { email: "dan@example.com", role: "viewer" }, there);
  // A misplaced secret is echoed to nobody but its sender.
  await client.api(url, "GET", `/sessions/${key.secret}`, undefined, there);
  for (const path of [
    "/keys",
    "/audit",
    "/shares",
    shares,
    "/me",
    "/workspaces/default/members",
    "/settings",
  ])
    await ask("GET", path, undefined, there);
  await ask("GET", `/sessions/${session.id}/export?format=jsonl`, undefined, there);
  await ask("DELETE", `${shares}/${share.id}`, undefined, there);
  await ask("DELETE", `/keys/${key.key.id}`, undefined, there);
  await ask("GET", "/audit", undefined, there);
  await client.ask(`${url}/auth/logout`, { method: "POST", headers: { Origin: url } });
  await expect.poll(() => traces.collected().includes("/api/v1/keys"), { timeout: 60_000 }).toBe(true);

  const backup = join(await testFolder(), "backup.tar.gz");
  await backUp({ dataFolder: data, databaseUrl: undefined }, backup);
  const places = {
    ...{ output: platform.output, answers: responses, traces: traces.collected() },
    files: await everyByteIn(data, "server.json"),
    backup: gunzipSync(await readFile(backup)).toString("latin1"),
  };
  // Guards against an empty check: the secrets are valid, and the responses were collected.
  expect([...secrets].filter(([, secret]) => secret.length < 16).map(([name]) => name)).toEqual([]);
  expect([...secrets.keys()]).toEqual(expect.arrayContaining(["refresh token 0", "login cookie", "API key"]));
  expect(places.output).toContain("signed in");
  expect(places.answers).toContain("key.created");
  const found = Object.entries(places).map(([place, all]) => [
    place,
    [...secrets].filter(([, secret]) => all.includes(secret)).map(([name]) => name),
  ]);
  expect(Object.fromEntries(found)).toEqual({
    ...{ output: [], answers: [], traces: [], files: [], backup: [] },
  });
});
