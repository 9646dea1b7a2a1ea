import { Agent } from "node:http";
import { pathSpellings } from "@parley/testing/path-spellings.ts";
import { rawRequest } from "@parley/testing/raw-request.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CookieClient } from "./testing/cookie-client.ts";
import { PeoplePlatform } from "./testing/people-platform.ts";

const AT_ONCE = 32;
/** Concurrent, because several users are served faster than one. */
const VISITORS = 6;
const AUTH = ["GET /auth/ways", "GET /auth/login", "GET /auth/callback", "POST /auth/logout"];
const METHODS = new Set(["get", "post", "put", "patch", "delete"]);

let platform: PeoplePlatform;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
beforeAll(async () => {
  platform = await PeoplePlatform.start({ PARLEY_RATE: "0" });
}, 180_000);
afterAll(async () => {
  agent.destroy();
  await platform.stop();
});

/** Every route in the API's document, with the user's own ids as parameters. */
async function apiRoutes(hers: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { paths } = (await (await fetch(`${platform.url}/api/v1/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, object>>;
  };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((method) => METHODS.has(method))
      .map((method) => {
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => hers[name] ?? "none");
        return `${method.toUpperCase()} ${filled.startsWith("/api/v1") ? filled : `/api/v1${filled}`}`;
      }),
  );
}

async function signedIn(name: string) {
  const client = new CookieClient();
  await client.signIn(platform.url, name);
  return client;
}

/** Headers of a Parley page with this login. */
const asPage = (client: CookieClient) => ({ Cookie: client.cookies(platform.url), Origin: platform.url });

it("no alternative spelling of an API path grants a signed-in user more than the path itself, on any route", async () => {
  const ann = await signedIn("ann");
  const { session } = (await ann.api(platform.url, "POST", "/sessions", { title: "The secret word" })).json;
  const routes = await apiRoutes({ id: session.id, name: "helper" });
  const visitors = await Promise.all(
    Array.from({ length: VISITORS }, async (_, at) => asPage(await signedIn(`visitor${at}`))),
  );
  const todo = [...routes, ...["POST /", "POST /a2a", "POST /a2a/jsonrpc"]].map(
    (route) => route.split(" ") as [string, string],
  );
  const opened: unknown[] = [];
  let asked = 0;
  const work = async () => {
    for (let next = todo.pop(); next; next = todo.pop()) {
      const [method, whole] = next;
      const body = method === "GET" || method === "DELETE" ? undefined : "{}";
      const ask = (path: string) =>
        rawRequest({
          ...{ agent, url: platform.url, method, path, body },
          headers: visitors[asked++ % VISITORS] ?? {},
        });
      const { status: allowed } = await ask(whole);
      for (const path of pathSpellings(whole).others) {
        const { status, text } = await ask(path);
        const isPage = status === 503 && text.includes("web_client");
        const isWrong = (status < 300 && allowed >= 300) || (status >= 500 && !isPage);
        if (isWrong || text.includes("secret word")) opened.push({ method, path, status, allowed, text });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(opened.slice(0, 5)).toEqual([]);
  expect(asked).toBeGreaterThan(1_000);
}, 180_000);

it("no alternative spelling of a login path does more than the path itself, signed in or not", async () => {
  const opened: unknown[] = [];
  for (const [who, headers] of [
    ["nobody", {}],
    // A change must come from our own page: from another origin it has no effect.
    ["another page", { ...asPage(await signedIn("carol")), Origin: "http://evil.example" }],
  ] as const)
    for (const [method = "", whole = ""] of AUTH.map((route) => route.split(" "))) {
      const ask = (path: string) => rawRequest({ agent, url: platform.url, method, path, headers });
      const { status: allowed } = await ask(whole);
      const { detours, others } = pathSpellings(whole);
      for (const path of [...detours, ...others]) {
        const { status, text } = await ask(path);
        const isPage = status === 503 && text.includes("web_client");
        if ((status < 300 && allowed >= 300) || (status >= 500 && !isPage))
          opened.push({ who, method, path, status, allowed, text });
      }
    }
  expect(opened.slice(0, 5)).toEqual([]);
}, 180_000);
