import { Agent } from "node:http";
import { servedCalls } from "@parley/a2a";
import { pathSpellings } from "@parley/testing/path-spellings.ts";
import { rawRequest } from "@parley/testing/raw-request.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ADAPTER_ROWS } from "./testing/adapter-rows.ts";
import { API_ROWS, type ApiRow } from "./testing/api-rows.ts";
import { filled, MatrixPeople } from "./testing/matrix-people.ts";

const AT_ONCE = 32;
/** Users share the event loop: several of a role are served sooner than one. */
const OF_EACH_ROLE = 8;

let people: MatrixPeople;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
beforeAll(async () => {
  people = await MatrixPeople.start({ PARLEY_RATE: "0", PARLEY_OFFLINE_MODEL_ENDPOINT: "on" });
}, 120_000);
afterAll(async () => {
  agent.destroy();
  await people.platform.stop();
});

const JSON_RPC = ["/", "/a2a", "/a2a/jsonrpc"];

interface Route {
  readonly method: string;
  readonly path: string;
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly isOthers: boolean;
}

function routes(): Route[] {
  const names = { ...people.hers, userId: "bob", email: "b@x.example", shareId: "shr_none" };
  const rows = [
    ...Object.entries(API_ROWS).map(([route, row]) => ({ ...row, route: route.replace(" ", " /api/v1") })),
    ...Object.values(ADAPTER_ROWS).flatMap(({ rows }) => rows.map((row) => ({ query: "", ...row }))),
    ...["GET /metrics", "GET /status", "GET /sessions", "GET /auth/ways"].map((route) => ({ route })),
    {
      route: "POST /offline-model/v1/chat/completions",
      body: { model: "parley", messages: [{ role: "user", content: "Hi" }] },
    },
    // What is hers is asked for, at each address of JSON-RPC.
    ...JSON_RPC.flatMap((path) =>
      servedCalls()
        .filter(({ binding, operation }) => binding === "JSONRPC" && operation === "get")
        .map(({ method, dialect }) => ({
          route: `POST ${path}`,
          headers: dialect === "0.1" ? {} : { "A2A-Version": dialect },
          body: { jsonrpc: "2.0", id: 1, method, params: { id: "{taskId}" } },
          expected: "nothing there",
        })),
    ),
    ...servedCalls()
      .filter(({ binding, path }) => binding === "HTTP+JSON" && !path.includes("{tenant}"))
      .map(({ method, path }) => ({ route: `${method} ${path.replaceAll(/\{(id|taskId)\}/g, "{taskId}")}` })),
  ] as ({ route: string } & Partial<ApiRow>)[];
  return rows.map(({ route, query = "", body, headers, expected = "shared" }) => {
    const [method = "", path = ""] = route.split(" ");
    const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    const isOthers = ["owners", "operators", "nothing there"].includes(expected);
    return {
      method,
      path: filled(path + query, names),
      body: text && filled(text, names),
      headers,
      isOthers,
    };
  });
}

it("no spelling of a path bypasses its access check, at any route", async () => {
  const { ann, hers, platform } = people;
  const { share } = (await platform.ask("POST", `/api/v1/sessions/${hers.id}/shares`, { key: ann, body: {} }))
    .json;
  const known = async (name: string, role: "viewer" | "editor") =>
    Promise.all(
      Array.from({ length: OF_EACH_ROLE }, async (_, at) => {
        const { secret } = await platform.key(`${name}${at}`, "home", { role });
        return { Authorization: `Bearer ${secret}` };
      }),
    );
  const identities: Record<string, readonly Record<string, string>[]> = {
    nobody: [{}],
    "a link": [{ "X-Share-Token": share.token }],
    "a viewer": await known("vera", "viewer"),
    "an editor": await known("eddy", "editor"),
  };
  const opened: unknown[] = [];
  // What an editor may do is done, so that they try what is not theirs alone.
  const todo = routes().flatMap((route) =>
    Object.entries(identities)
      .filter(([who]) => who !== "an editor" || route.isOthers)
      .filter(([who]) => who !== "a link" || route.path.startsWith("/api/v1"))
      .map(([who, all]) => ({ route, who, all })),
  );
  let asked = 0;
  const work = async () => {
    for (let next = todo.pop(); next; next = todo.pop()) {
      const { route, who, all } = next;
      const ask = (path: string) =>
        rawRequest({
          ...{ agent, url: platform.url, method: route.method, path, body: route.body },
          headers: { ...route.headers, ...all[asked % all.length] },
        });
      const { status: allowed } = await ask(route.path);
      const { detours, others } = pathSpellings(route.path);
      // Whoever is known gains nothing by a beginning that is for everybody.
      for (const path of all.length > 1 ? others : [...detours, ...others]) {
        const { status, text } = await ask(path);
        asked++;
        // The pages and what a link opens are at many addresses, and say the same at each.
        const isPage = status === 503 && text.includes("web_client_missing");
        const isLinks = who === "a link" && /^\/api\/v1\/shared[?#]/.test(path);
        if (status >= 500 && !isPage) opened.push({ route, path, who, status, text });
        if (status < 300 && allowed >= 300 && !isLinks) opened.push({ route, path, who, status, text });
        if (who !== "a link" && text.includes("secret word")) opened.push({ route, path, who, status, text });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(opened.slice(0, 5)).toEqual([]);
  expect(asked).toBeGreaterThan(6_000);
  expect(asked).toBeLessThan(20_000);
}, 120_000);
