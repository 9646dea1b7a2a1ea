import { Agent, request } from "node:http";
import { servedCalls } from "@parley/a2a";
import { afterAll, beforeAll, expect, it } from "vitest";
import { API_ROWS, type ApiRow } from "./testing/api-rows.ts";
import { DOOR_ROWS } from "./testing/door-rows.ts";
import { filled, MatrixPeople } from "./testing/matrix-people.ts";

const AT_ONCE = 32;
/** Beginnings that need no key, or less than what they could lead to. */
const WAYS_IN = [
  "/api/v1/shared",
  "/s",
  "/healthz",
  "/auth/ways",
  "/api/v1/docs",
  "/.well-known/agent-card.json",
];

let people: MatrixPeople;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
beforeAll(async () => {
  people = await MatrixPeople.start({ PARLEY_RATE: "0" });
}, 120_000);
afterAll(async () => {
  agent.destroy();
  await people.platform.stop();
});

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
    ...Object.values(DOOR_ROWS).flatMap(({ rows }) => rows.map((row) => ({ query: "", ...row }))),
    ...["GET /metrics", "GET /status", "GET /sessions"].map((route) => ({ route })),
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

/** Other ways to write a path, all of which some reader of URLs takes for it. */
function spellings(whole: string): string[] {
  const [path = "", query] = whole.split("?");
  const rest = query === undefined ? "" : `?${query}`;
  const segments = path.split("/").slice(1);
  const escaped = (text: string) => text.replace(/^./, (first) => `%${first.charCodeAt(0).toString(16)}`);
  const detours = WAYS_IN.flatMap((way) => {
    const up = way.split("/").slice(1);
    return ["..", "%2e%2e", ".%2E", "..;", "%252e%252e", "%2%65%2%65"].map(
      (dots) => `${way}/${up.map(() => dots).join("/")}${path}`,
    );
  });
  const within = ["..", "%2e%2e", "..%2f", "..\\"].map((dots) =>
    path.replace(
      /^\/api\/v1\//,
      `/api/v1/shared/${dots}${dots.length > 2 && !dots.startsWith("%") ? "" : "/"}`,
    ),
  );
  return [
    ...detours.slice(0, 6),
    ...detours.slice(6).filter((_, place) => place % 6 === 0),
    ...within,
    `${path}/`,
    `/${path}`,
    `/.${path}`,
    path.replace(/\/(?=[^/]*$)/, "//"),
    path.replace(/\/(?=[^/]*$)/, "/./"),
    path.replace(/\/(?=[^/]*$)/, "%2f"),
    `/${segments.map(escaped).join("/")}`,
    `/${[...segments.slice(0, -1), escaped(segments.at(-1) ?? "")].join("/")}`,
    path.replaceAll("/", "\\").replace("\\", "/"),
    path.toUpperCase(),
    `${path}%00`,
    `${path};a=b`,
    `${path}#/api/v1/shared`,
    `/api/v1/shared#/../..${path}`,
    `/api/v1/shared?/../..${path}`,
  ].map((written) => (written.includes("?") || written.includes("#") ? written : written + rest));
}

function ask(route: Route, path: string, identity: Readonly<Record<string, string>>) {
  const { port } = new URL(people.platform.url);
  const typed = route.body === undefined ? {} : { "Content-Type": "application/json" };
  const headers = { Host: `127.0.0.1:${port}`, ...typed, ...route.headers, ...identity };
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asked = request(
      { agent, port, host: "127.0.0.1", method: route.method, path, headers },
      (response) => {
        const { statusCode: status = 0 } = response;
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
          if (response.headers["content-type"] !== "text/event-stream") return;
          resolve({ status, text });
          response.destroy();
        });
        response.on("end", () => resolve({ status, text })).on("error", reject);
      },
    );
    asked.on("error", reject).end(route.body);
  });
}

it("no spelling of a path opens to anybody what the path itself does not, at any route", async () => {
  const { ann, others, hers, platform } = people;
  const { share } = (await platform.ask("POST", `/api/v1/sessions/${hers.id}/shares`, { key: ann, body: {} }))
    .json;
  const viewer = await platform.key("vera", "home", { role: "viewer" });
  const identities: Record<string, Record<string, string>> = {
    nobody: {},
    "a link": { "X-Share-Token": share.token },
    "a viewer": { Authorization: `Bearer ${viewer.secret}` },
    "an editor": { Authorization: `Bearer ${others.bob}` },
  };
  const opened: unknown[] = [];
  // What an editor may do is done, so that they try what is not theirs alone.
  const todo = routes().flatMap((route) =>
    Object.entries(identities)
      .filter(([who]) => who !== "an editor" || route.isOthers)
      .filter(([who]) => who !== "a link" || route.path.startsWith("/api/v1"))
      .map((who) => [route, who] as const),
  );
  let asked = 0;
  const work = async () => {
    for (let next = todo.pop(); next; next = todo.pop()) {
      const [route, [who, identity]] = next;
      const { status: allowed } = await ask(route, route.path, identity);
      const isKnown = "Authorization" in identity;
      // Whoever is known gains nothing by a beginning that is for everybody.
      for (const path of spellings(route.path).slice(isKnown ? 11 : 0)) {
        const { status, text } = await ask(route, path, identity);
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
