import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API_ROWS, type ApiRow, type Expected } from "./testing/api-rows.ts";
import { filled, MatrixPeople, type Names, seen, unlike } from "./testing/matrix-people.ts";

/** The other endpoints of the main port. */
const OTHER_ROUTES: Readonly<Record<string, "public" | "operators" | "anybody">> = {
  "GET /": "public",
  "GET /healthz": "public",
  "GET /readyz": "public",
  "GET /status.css": "public",
  "GET /s/": "public",
  "GET /docs": "public",
  "GET /docs/settings": "public",
  "GET /.well-known/agent-card.json": "public",
  "GET /.well-known/agent.json": "public",
  "GET /api/v1/openapi.json": "public",
  "GET /api/v1/docs": "public",
  "GET /metrics": "operators",
  "GET /status": "operators",
  "GET /sessions": "anybody",
  "GET /nothing-here": "anybody",
  "GET /api/v1/nothing-here": "anybody",
  "GET /offline-model/v1/models": "anybody",
  "POST /offline-model/v1/chat/completions": "anybody",
  "GET /agui": "anybody",
  "GET /agui/helper": "anybody",
  "POST /agui": "anybody",
  "POST /agui/helper": "anybody",
  "GET /.well-known/oauth-protected-resource": "public",
  "GET /.well-known/oauth-protected-resource/mcp": "public",
  "GET /mcp": "anybody",
  "POST /mcp": "anybody",
};

let people: MatrixPeople;
let documented: string[];
beforeAll(async () => {
  people = await MatrixPeople.start();
  const { json } = await people.platform.ask("GET", "/api/v1/openapi.json");
  const paths: Record<string, object> = json.paths;
  documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => `${method.toUpperCase()} ${path.replace("/keys/{id}", "/keys/{key}")}`,
    ),
  );
}, 180_000);
afterAll(() => people.platform.stop());

function askApi(route: string, { body, query = "", headers }: ApiRow, key: string | undefined, names: Names) {
  const [method = "", path = ""] = route.split(" ");
  const text = body === undefined || typeof body === "string" ? body : filled(JSON.stringify(body), names);
  return people.platform.ask(method, filled(`/api/v1${path}${query}`, names), {
    ...{ key, ...(text !== undefined && { body: text }), ...(headers && { headers }) },
  });
}

const rows = (...expected: Expected[]) =>
  Object.entries(API_ROWS).filter(([, row]) => expected.includes(row.expected));

describe("the API", () => {
  it("has a row in this matrix for each route", () => {
    expect(documented.toSorted()).toEqual(Object.keys(API_ROWS).toSorted());
  });

  it("is documented in docs/api-reference.md, with the other routes of the main port", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../../docs/api-reference.md"), "utf8");
    const routes = [...Object.keys(OTHER_ROUTES), ...Object.keys(API_ROWS)]
      .filter((route) => !route.endsWith("/nothing-here") && route !== "GET /docs/settings")
      .map((route) => route.replace("/helper", "/{agent}").replace("{key}", "{id}"));
    expect(routes.filter((route) => !page.includes(`\`${route}\``))).toEqual([]);
  });

  it("answers 401 with a challenge to requests without credentials, at every route (S4.2)", async () => {
    const { hers } = people;
    for (const [route, row] of Object.entries(API_ROWS)) {
      if (row.expected === "link") continue;
      const { status, headers, json } = await askApi(route, row, undefined, hers);
      expect([route, status], route).toEqual([route, 401]);
      expect(headers.get("www-authenticate")).toBe('Bearer realm="parley"');
      expect(headers.get("content-type")).toBe("application/problem+json");
      expect(json).toMatchObject({
        code: "not_authenticated",
        detail: expect.stringContaining("parley keys"),
      });
    }
  });

  it("answers other users and workspaces 404, byte for byte as for missing resources (S4.2, invariant 20)", async () => {
    const { others, hers } = people;
    for (const [route, row] of rows("nothing there")) {
      for (const [who, key] of Object.entries(others)) {
        const missing = { ...hers, id: unlike(hers.id), file: unlike(hers.file) };
        const [real, none] = [await askApi(route, row, key, hers), await askApi(route, row, key, missing)];
        expect([route, who, real.status], real.text).toEqual([route, who, 404]);
        expect(seen(real, hers), route).toBe(seen(none, missing));
      }
    }
  });

  it("shows Ann every resource that it hides from others", async () => {
    const { ann, hers } = people;
    for (const [route, row] of rows("nothing there").filter(([name]) => name.startsWith("GET"))) {
      const { status, text } = await askApi(route, row, ann, hers);
      expect([route, status], text).toEqual([route, 200]);
    }
  });

  it("lists none of Ann's resources to others", async () => {
    const { others, hers } = people;
    for (const [route, row] of rows("own things")) {
      for (const key of Object.values(others)) {
        const { status, text } = await askApi(route, row, key, hers);
        expect([200, 201, 422], `${route}: ${text}`).toContain(status);
        for (const id of [hers.id, hers.runId, hers.file]) expect(text, route).not.toContain(id);
      }
    }
  });

  it("lets only owners access keys and the audit log, and only those of their workspace", async () => {
    const { others, hers } = people;
    for (const [route, row] of rows("owners")) {
      expect([route, (await askApi(route, row, others.bob, hers)).status]).toEqual([route, 403]);
      const elsewhere = await askApi(route, row, others.ann2, hers);
      expect([200, 201, 404], `${route}: ${elsewhere.text}`).toContain(elsewhere.status);
      expect(elsewhere.text).not.toContain(hers.key);
    }
    const missing = { key: unlike(hers.key) };
    const route = "DELETE /keys/{key}";
    const real = await askApi(route, { expected: "owners" }, others.ann2, hers);
    const none = await askApi(route, { expected: "owners" }, others.ann2, missing);
    expect(real.status).toBe(404);
    expect(seen(real, hers)).toBe(seen(none, missing));
  });

  it("lets only operators change shared settings", async () => {
    const { ann, others, hers } = people;
    for (const [route, row] of rows("operators")) {
      for (const key of [ann, ...Object.values(others)]) {
        const [real, none] = [
          await askApi(route, row, key, hers),
          await askApi(route, row, key, { ...hers, name: "nobody" }),
        ];
        expect([route, real.status]).toEqual([route, 403]);
        expect(seen(real, {})).toBe(seen(none, {}));
      }
    }
    for (const [route, row] of rows("shared"))
      for (const key of Object.values(others)) expect((await askApi(route, row, key, hers)).status).toBe(200);
  });

  it("never treats a key as a member of a workspace", async () => {
    const { ann, others, hers } = people;
    for (const [route, row] of rows("people"))
      for (const key of [ann, ...Object.values(others)]) {
        const { status, text } = await askApi(route, row, key, {
          ...hers,
          userId: "bob",
          email: "b@x.example",
        });
        expect([403, 404], `${route}: ${text}`).toContain(status);
      }
  });

  it("shows a shared session by its link, and answers any other token as one that was never issued", async () => {
    const { ann, others, hers, platform } = people;
    const shares = `/api/v1/sessions/${hers.id}/shares`;
    const { share } = (await platform.ask("POST", shares, { key: ann, body: {} })).json;
    const { token } = share;
    const by = (secret: string) => ({ "X-Share-Token": secret });
    for (const [route, row] of rows("link").filter(([name]) => !name.endsWith("stream"))) {
      const asked = async (secret: string, key?: string) =>
        askApi(route, { ...row, headers: by(secret) }, key, hers);
      expect([route, (await asked(token)).status]).toEqual([route, 200]);
      const never = seen(await asked(unlike(token)), {});
      expect(never).toMatch(/^404/);
      for (const key of Object.values(others)) expect(seen(await asked(unlike(token), key), {})).toBe(never);
    }
    await platform.ask("DELETE", `${shares}/${share.id}`, { key: ann });
    for (const [route, row] of rows("link")) {
      const revoked = await askApi(route, { ...row, headers: by(token) }, undefined, hers);
      expect([route, revoked.status]).toEqual([route, 404]);
    }
  });

  it("lets viewers read, and refuses everything else", async () => {
    const { hers } = people;
    const viewer = await people.viewer();
    for (const [route, row] of Object.entries(API_ROWS)) {
      if (row.expected === "link" || row.expected === "people") continue;
      const { status, text } = await askApi(route, row, viewer, hers);
      const isRead = route.startsWith("GET") && !["owners", "operators"].includes(row.expected);
      expect([route, status], text).toEqual([route, isRead ? 200 : 403]);
    }
  });
});

describe("the other endpoints of the main port", () => {
  it("are public, for authenticated users, or for operators", async () => {
    const { ann, others, hers, platform } = people;
    for (const [route, whom] of Object.entries(OTHER_ROUTES)) {
      const [method = "", path = ""] = route.split(" ");
      const status = async (key?: string) => (await platform.ask(method, path, { key })).status;
      if (whom === "public") expect([route, await status()]).not.toEqual([route, 401]);
      else expect([route, await status()]).toEqual([route, 401]);
      if (whom === "operators") {
        expect([route, await status(ann)]).toEqual([route, 403]);
        expect([route, await status(platform.operator)]).toEqual([route, 200]);
      }
    }
    const legacy = (key: string) => platform.ask("GET", `/sessions/${hers.id}`, { key });
    expect((await legacy(ann)).status).toBe(200);
    const missing = { id: unlike(hers.id) };
    const none = await platform.ask("GET", `/sessions/${missing.id}`, { key: others.bob });
    for (const key of Object.values(others)) expect(seen(await legacy(key), hers)).toBe(seen(none, missing));
  });

  it("report readiness to everyone, and its details only to operators", async () => {
    const { ann, platform } = people;
    for (const key of [undefined, "parley_wrong", ann])
      expect((await platform.ask("GET", "/readyz", { key })).text).toBe('{"status":"ready"}');
    const { status, json } = await platform.ask("GET", "/readyz", { key: platform.operator });
    expect([status, json.checks.agents]).toEqual([200, { helper: "up" }]);
  });

  it("do not mistake one path for another because of its spelling", async () => {
    const { others, platform } = people;
    const spellings = [
      "/api/v1/%6beys",
      "/api/v1//keys",
      "/s/../api/v1/keys",
      "/api/v1/keys/",
      "/%61pi/v1/keys",
    ];
    for (const path of [...spellings, "/s/%2e%2e/metrics", "//metrics", "/metrics/", "/%6detrics"]) {
      const { text } = await platform.ask("GET", path, { key: others.bob });
      expect(text, path).not.toContain('"keys":');
      expect(text, path).not.toContain("# TYPE");
    }
  });
});

describe("a key in another user's name", () => {
  it("cannot be created, not even by operators: a key acts for its creator or for a new service account (attack 10)", async () => {
    const { platform, ann, others } = people;
    const make = (key: string, body: object) => platform.ask("POST", "/api/v1/keys", { key, body });
    const bob = { name: "x", owner: "bob", workspace: "home" };
    const taken = [
      await make(ann, bob),
      await make(platform.operator, bob),
      await make(platform.operator, { name: "x", owner: "local" }),
      await make(ann, { name: "x", owner: "local" }),
    ];
    expect(taken.map(({ status, json }) => [status, json.code])).toEqual(Array(4).fill([403, "forbidden"]));
    const own = await make(ann, { name: "x", owner: "ann" });
    expect([own.status, own.json.key.owner]).toEqual([201, "ann"]);
    // Also after the user's only key is gone: their messages remain.
    const carl = await platform.key("carl", "home");
    await platform.ask("DELETE", `/api/v1/keys/${carl.id}`, { key: ann });
    expect((await make(ann, { name: "x", owner: "carl" })).status).toBe(403);
    const service = await make(ann, { name: "x", owner: "robot", role: "owner" });
    expect([service.status, service.json.key.owner]).toEqual([201, "robot"]);
    expect(
      (await platform.ask("GET", "/api/v1/sessions", { key: service.json.secret })).json.sessions,
    ).toEqual([]);
    expect((await make(service.json.secret, { name: "next", role: "owner" })).json.key.owner).toBe("robot");
    expect((await platform.ask("GET", "/api/v1/sessions", { key: others.bob })).status).toBe(200);
  });
});

describe("an invalid key", () => {
  it("is refused at every endpoint with the same error, unless it has expired", async () => {
    const { platform, ann } = people;
    const revoked = await platform.key("ann", "home", {}, ann);
    await platform.ask("DELETE", `/api/v1/keys/${revoked.id}?workspace=home`, { key: platform.operator });
    const expiresAt = new Date(Date.now() + 200).toISOString();
    const expired = await platform.key("ann", "home", { expiresAt }, ann);
    await expect.poll(() => Date.now() > Date.parse(expiresAt)).toBe(true);
    const forged = ann.slice(0, -4) + (ann.endsWith("AAAA") ? "BBBB" : "AAAA");
    const keys = {
      revoked: revoked.secret,
      expired: expired.secret,
      forged,
      truncated: ann.slice(0, -1),
      empty: "",
    };
    const doors = ["/api/v1/sessions", "/api/v1/events", "/sessions", "/metrics", "/a2a/rest/tasks"];
    const reasons: Record<string, Set<string>> = {};
    for (const [kind, key] of Object.entries(keys)) {
      const answers = [];
      for (const door of doors) answers.push(await platform.ask("GET", door, { key }));
      answers.push(await people.call("tasks/list", {}, key));
      for (const { status, headers, text } of answers) {
        expect([kind, status], text).toEqual([kind, 401]);
        expect(headers.get("www-authenticate")).toContain("invalid_token");
      }
      reasons[kind] = new Set(answers.slice(0, 4).map(({ json }) => json.detail));
    }
    expect(reasons.forged).toEqual(reasons.revoked);
    expect(reasons.truncated).toEqual(reasons.revoked);
    expect([...(reasons.expired ?? [])]).toEqual([`Your API key expired at ${expiresAt}: ask for another`]);
  });

  it("is read from either header, and from nowhere else", async () => {
    const { platform, ann } = people;
    const status = async (headers: Record<string, string>, query = "") =>
      (await platform.ask("GET", `/api/v1/sessions${query}`, { headers })).status;
    expect(await status({ "X-API-Key": ann })).toBe(200);
    expect(await status({ Authorization: `bearer ${ann}` })).toBe(200);
    expect(await status({}, `?key=${ann}&access_token=${ann}`)).toBe(401);
    expect(await status({ Cookie: `key=${ann}` })).toBe(401);
    expect(await status({ Authorization: `Basic ${Buffer.from(`ann:${ann}`).toString("base64")}` })).toBe(
      401,
    );
    expect(await status({ Authorization: ann })).toBe(401);
  });
});
