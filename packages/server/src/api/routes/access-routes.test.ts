import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "../testing/api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await ApiServer.start();
});
afterAll(() => api.stop());

it("keys are created, listed without their secrets, and revoked, each as the OpenAPI document specifies (S4.24)", async () => {
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const body = { name: "laptop", owner: "bob", role: "viewer", expiresAt };
  const { status, json } = await api.ask("POST", "/api/v1/keys", body);
  expect([status, json.key]).toMatchObject([201, { ...body, workspace: "default" }]);
  const listed = await api.ask("GET", "/api/v1/keys");
  expect(listed.json.keys).toEqual([json.key]);
  expect(listed.text).not.toContain(json.secret);
  expect((await api.ask("DELETE", `/api/v1/keys/${json.key.id}`)).status).toBe(204);
  expect((await api.ask("DELETE", `/api/v1/keys/${json.key.id}`)).status).toBe(404);
  expect((await api.ask("GET", "/api/v1/keys")).json.keys).toEqual([]);
});

it.each([
  [{}, "body.name"],
  [{ name: "" }, "body.name"],
  [{ name: "a\u0000b" }, "body.name"],
  [{ name: "x".repeat(101) }, "body.name"],
  [{ name: "x", role: "king" }, "body.role"],
  [{ name: "x", expiresAt: "tomorrow" }, "body.expiresAt"],
  [{ name: "x", expiresAt: "2020-01-01T00:00:00Z" }, "body.expiresAt"],
  [{ name: "x", secret: "mine" }, "secret"],
])("an invalid key is not created: %j", async (body, field) => {
  const { status, text } = await api.ask("POST", "/api/v1/keys", body);
  expect([status, text]).toEqual([422, expect.stringContaining(field)]);
});

it("the audit log lists who changed settings and sessions, newest first, in pages, filtered by kind and user (S4.2)", async () => {
  const { json: made } = await api.ask("POST", "/api/v1/sessions", {});
  const bob = { "x-test-owner": "bob" };
  // What is not done is not noted.
  expect((await api.ask("DELETE", `/api/v1/sessions/${made.session.id}`, undefined, bob)).status).toBe(404);
  await api.ask("DELETE", `/api/v1/sessions/${made.session.id}`);
  await api.ask("POST", `/api/v1/sessions/${made.session.id}/restore`);
  await api.ask("POST", "/api/v1/settings/model-test", {});
  const first = await api.ask("GET", "/api/v1/audit?limit=2");
  const rest = await api.ask("GET", `/api/v1/audit?limit=1&before=${first.json.next}`);
  const entries = [...first.json.entries, ...rest.json.entries];
  expect(entries.map(({ action, target, owner }) => [action, target, owner])).toEqual([
    ["settings.model_tested", "offline", "ann"],
    ["session.restored", made.session.id, "ann"],
    ["session.deleted", made.session.id, "ann"],
  ]);
  const actions = async (query: string) =>
    (await api.ask("GET", `/api/v1/audit?${query}`)).json.entries.map(
      ({ action }: { action: string }) => action,
    );
  expect(await actions("action=session")).toEqual(["session.restored", "session.deleted"]);
  expect(await actions("action=session.deleted")).toEqual(["session.deleted"]);
  expect(await actions("action=sess")).toEqual([]);
  expect(await actions("action=session&who=BOB")).toEqual([]);
  expect(await actions("action=session&who=AN&limit=1")).toEqual(["session.restored"]);
  expect((await api.ask("GET", "/api/v1/audit?action=../x")).status).toBe(422);
});
