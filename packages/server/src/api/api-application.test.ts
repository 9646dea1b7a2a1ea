import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteJournal } from "@parley/journal";
import { sessionTables } from "@parley/sessions";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ApiServer } from "./testing/api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await ApiServer.start();
});
afterAll(() => api.stop());

it.each([
  ["POST", "/api/v1/sessions", { titel: "Tides" }, "titel"],
  ["POST", "/api/v1/sessions/s/fork", { atEvent: 3 }, "atEvent"],
  ["POST", "/api/v1/sessions/s/messages", { content: "Hello", agents: ["writer"] }, "agents"],
])(
  "%s %s with a field that there is not is refused, and names it: nothing is done that was not meant",
  async (method, path, body, field) => {
    const refused = await api.ask(method, path, body);
    expect(refused.status).toBe(422);
    expect(refused.json.detail).toContain(field);
  },
);

describe("the OpenAPI document", () => {
  it("is OpenAPI 3.1, generated from the schemas that validate requests, with the seed's types as given (S4.20, S4.24)", async () => {
    const { json, headers } = await api.ask("GET", "/api/v1/openapi.json");
    expect(headers.get("content-type")).toContain("application/json");
    expect(json).toMatchObject({ openapi: "3.1.0", info: { version: "1.2.3" } });
    const operations = Object.entries(json.paths as Record<string, object>).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    for (const seeded of [
      "GET /sessions",
      "POST /sessions",
      "GET /sessions/{id}",
      "POST /sessions/{id}/messages",
      "POST /sessions/{id}/fork",
      "PUT /sessions/{id}/messages/{messageId}",
      "DELETE /sessions/{id}",
      "GET /events",
    ])
      expect(operations).toContain(seeded);
    const { Session, DomainMessage, DomainEvent } = json.components.schemas;
    const seedsOf = (schema: { required: string[] }, fields: string[]) =>
      fields.filter((field) => !schema.required.includes(field));
    expect(seedsOf(Session, ["id", "title", "createdAt", "updatedAt", "revision", "metadata"])).toEqual([]);
    const message = ["id", "sessionId", "index", "role", "content", "timestamp", "metadata"];
    expect(seedsOf(DomainMessage, message)).toEqual([]);
    expect(seedsOf(DomainEvent, ["id", "sessionId", "index", "type", "payload", "timestamp"])).toEqual([]);
    expect(DomainEvent.properties.type.enum).toEqual(
      expect.arrayContaining([
        "user_message",
        "agent_start",
        "agent_token",
        "agent_tool_call",
        "agent_complete",
        "fork",
        "edit",
      ]),
    );
    const asked = json.paths["/sessions/{id}/messages"].post.requestBody.content["application/json"].schema;
    expect(asked).toEqual({ $ref: "#/components/schemas/NewMessage" });
  });

  it("redirects /api/v1/docs to the documentation", async () => {
    const { status, headers } = await fetch(`${api.url}/api/v1/docs`, { redirect: "manual" });
    expect([status, headers.get("location")]).toEqual([302, "../../docs/api"]);
  });
});

describe("an invalid request", () => {
  it.each([
    ["{", 400, "malformed_request"],
    ["", 400, "malformed_request"],
    ['{"title":"\\ud800"}', 201, undefined],
    [`${"[".repeat(65)}${"]".repeat(65)}`, 400, "malformed_request"],
    [`{"title":"${"x".repeat(1_100_000)}"}`, 413, "too_large"],
    [new Uint8Array([0x22, 0xff, 0x22]), 400, "malformed_request"],
  ])("is answered in problem+json, with the security headers: %#", async (body, status, code) => {
    const answer = await api.ask("POST", "/api/v1/sessions", body);
    expect(answer.status).toBe(status);
    expect(answer.json.code).toBe(code);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it("gets an error in the usual format for an unknown path or method", async () => {
    for (const [method, path] of [
      ["GET", "/api/v1"],
      ["GET", "/api/v1/nothing"],
      ["PUT", "/api/v1/sessions"],
      ["GET", `/api/v1/sessions/${"x".repeat(300)}`],
      ["GET", "/api/v1/sessions/%00"],
      ["GET", "/api/v1/sessions/%ff%fe"],
      ["GET", "/sessions/%00"],
      ["GET", `/sessions/${"x".repeat(300)}`],
      ["GET", "/api/v1/events?session_ids[]=%00"],
      ["GET", `/api/v1/events?session_ids[]=${"x".repeat(300)}`],
    ] as const) {
      const answer = await api.ask(method, path);
      expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
        path,
        404,
        "application/problem+json",
      ]);
    }
  });

  it("never causes an internal error, over thousands of random requests", async () => {
    const strange = ["none", "...", "%00", "%F0", "a%2Fb", "__proto__", "x".repeat(200), "😀"];
    const ids = ["SESSION", "SESSION", "SESSION", "RUN", "MESSAGE", ...strange];
    const { json } = await api.ask("GET", "/api/v1/openapi.json");
    const documented = Object.entries(json.paths as Record<string, object>).flatMap(([path, item]) =>
      Object.keys(item).map((method) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "ID")] as const),
    );
    const operation = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...documented) },
      fc.tuple(
        fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
        fc.constantFrom("/ID", ...documented.map(([, path]) => path)),
      ),
    );
    const fields = [
      "title",
      "content",
      "id",
      "agent",
      "config",
      "archived",
      "files",
      "messages",
      "messageId",
    ];
    const more = ["eventIndex", "agents", "decision", "reason", "url", "enabled", "credentials", "orphan"];
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom("SESSION", "MESSAGE", "writer", "x", -1, 2 ** 53, "__proto__"),
    );
    const body = fc.oneof(
      fc
        .dictionary(fc.constantFrom(...fields, ...more, "__proto__"), value, { maxKeys: 5 })
        .map((o) => JSON.stringify(o)),
      fc.json(),
      fc.string(),
      fc.constant("{}"),
    );
    const query = fc.dictionary(
      fc.constantFrom(
        "limit",
        "cursor",
        "since",
        "status",
        "events_since",
        "until",
        "type",
        "run",
        "q",
        "format",
        "open",
      ),
      fc.oneof(
        fc.string(),
        fc.constantFrom("1", "0", "-1", "999999999999999999", "1e3", "NaN", "agent_start", "true"),
      ),
      { maxKeys: 3 },
    );
    const asked = fc.record({
      operation,
      chosen: fc.array(fc.constantFrom(...ids), { minLength: 2, maxLength: 2 }),
      query,
      body,
      key: fc.option(fc.constantFrom("k1", "k2", " ", "x".repeat(300))),
    });
    const seen = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 20, maxLength: 20 }), async (requests) => {
        const { id, runId, messageId } = await api.begun();
        const named = (text: string) =>
          text.replaceAll("SESSION", id).replaceAll("RUN", runId).replaceAll("MESSAGE", messageId);
        await Promise.all(
          requests.map(async ({ operation: [method, path], chosen, query: given, body: text, key }) => {
            let place = 0;
            const filled = path.replaceAll("ID", () => chosen[place++] ?? "");
            // A stream that is granted has no end to wait for.
            const asks = { ...given, ...(path === "/events" && { "session_ids[]": "none" }) };
            const target = named(`/api/v1${filled}?${new URLSearchParams(asks)}`);
            const sends = method !== "GET" && method !== "OPTIONS";
            const headers: Record<string, string> = key === null ? {} : { "Idempotency-Key": key };
            const answer = await api.ask(method, target, sends ? named(text) : undefined, headers);
            seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
            expect([target, answer.status]).not.toEqual([target, 500]);
          }),
        );
      }),
      { numRuns: Number(process.env.PARLEY_FUZZ ?? 2_000) / 20, endOnFailure: true },
    );
    expect(api.logged).toEqual([]);
    expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 201, 204, 404, 422]));
  }, 180_000);
});

describe("a journal that cannot write", () => {
  it("is answered with 503 and Retry-After, without the cause (invariant 18)", async () => {
    const folder = await mkdtemp(join(tmpdir(), "parley-api-"));
    const journal = await openSqliteJournal({ folder, projections: sessionTables });
    const broken = await ApiServer.start({}, journal);
    onTestFinished(async () => {
      await broken.stop();
      await rm(folder, { recursive: true });
    });
    const { id } = await broken.begun();
    await journal.close();
    const answer = await broken.ask("POST", `/api/v1/sessions/${id}/messages`, { content: "More" });
    expect(answer).toMatchObject({ status: 503, json: { code: "unavailable" } });
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(answer.text).not.toContain(folder);
  });

  it("reports its cause only to the log, like any other internal error", async () => {
    const faulty = await ApiServer.start();
    onTestFinished(() => faulty.stop());
    // A missing table or a bug: unexpected errors.
    faulty.sessions.search = async () => {
      throw new Error("password=hunter2");
    };
    const answer = await faulty.ask("GET", "/api/v1/search?q=x");
    expect(answer).toMatchObject({ status: 500, json: { code: "internal" } });
    expect(answer.text).not.toContain("hunter2");
    expect(faulty.logged.join()).toContain("hunter2");
  });
});
