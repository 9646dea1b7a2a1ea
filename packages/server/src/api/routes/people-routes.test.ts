import type { IncomingMessage } from "node:http";
import {
  identifyUser,
  LOCAL_USER,
  personalWorkspaceOf,
  userIdOf,
  type WorkspaceRole,
} from "@parley/identity";
import { profile } from "@parley/identity/testing/people-nodes.ts";
import { openMemoryJournal } from "@parley/journal";
import { afterAll, beforeAll, expect, it } from "vitest";
import { journalTables } from "../../journal-tables.ts";
import { ApiServer } from "../testing/api-server.ts";
import { EventReader } from "../testing/event-reader.ts";

let api: ApiServer;
beforeAll(async () => {
  const journal = openMemoryJournal({ projections: journalTables() });
  api = await ApiServer.start({}, journal, {
    // Everybody is whom they say, as signed in people are: in a workspace of theirs.
    identityOf: async ({ headers }: IncomingMessage) => {
      const user = await api?.people.user(String(headers["x-test-owner"]));
      if (!user) return LOCAL_USER;
      const identity = await identifyUser(api, user, headers, { tags: [] });
      const bound = headers["x-test-bound"];
      const role = headers["x-test-role"] as WorkspaceRole | undefined;
      if (bound) return { ...identity, workspace: String(bound), role: role ?? "owner", isBound: true };
      return { ...identity, role: role ?? identity.role };
    },
  });
});
afterAll(() => api.stop());

async function somebody(name: string) {
  const { id } = await api.people.ensureUser(profile(name));
  return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    api.ask(method, `/api/v1${path}`, body, { "X-Test-Owner": id, ...headers });
}

it("the API returns the caller and workspace: a user in their own workspace, or the local user without a login", async () => {
  const ann = await somebody("ann");
  const id = userIdOf(profile("ann"));
  const own = { id: personalWorkspaceOf(id), name: "ann", role: "owner" };
  expect((await ann("GET", "/me")).json).toEqual({
    ...{
      user: { id, name: "ann", email: "ann@example.com" },
      workspace: own,
      workspaces: [own],
      isLogin: false,
    },
  });
  const local = { id: "default", name: "default", role: "owner" };
  expect((await api.ask("GET", "/api/v1/me")).json).toEqual({
    ...{ user: { id: "local", name: "local" }, workspace: local, workspaces: [local], isLogin: false },
  });
  expect((await api.ask("POST", "/api/v1/workspaces", { name: "Team" })).status).toBe(403);
});

it("only owners manage the members of a workspace, and it does not exist for non-members (S4.2, invariant 20)", async () => {
  const [ann, bob, eve] = [await somebody("ann"), await somebody("bob"), await somebody("eve")];
  const bobsId = userIdOf(profile("bob"));
  const { json } = await ann("POST", "/workspaces", { name: "Team" });
  const team = `/workspaces/${json.workspace.id}`;
  const invited = await ann("POST", `${team}/members`, { email: "Bob@example.com", role: "viewer" });
  expect(invited.json.invitations).toEqual([
    { email: "bob@example.com", role: "viewer", by: userIdOf(profile("ann")) },
  ]);
  const { workspaces } = (await bob("GET", "/me")).json;
  expect(workspaces.map(({ name, role }: { name: string; role: WorkspaceRole }) => [name, role])).toEqual([
    ["bob", "owner"],
    ["Team", "viewer"],
  ]);
  expect((await bob("GET", `${team}/members`)).json.members).toHaveLength(2);
  const eves = userIdOf(profile("eve"));
  for (const [method, path, body] of [
    ["POST", `${team}/members`, { userId: eves, role: "editor" }],
    ["PATCH", `${team}/members/${bobsId}`, { role: "owner" }],
    ["DELETE", `${team}/members/${userIdOf(profile("ann"))}`],
    ["DELETE", `${team}/invitations/x@example.com`],
  ] as const) {
    expect([path, (await bob(method, path, body)).status]).toEqual([path, 403]);
    const missing = path.replace(json.workspace.id, "wsp_none");
    const [foreign, none] = [await eve(method, path, body), await eve(method, missing, body)];
    expect([foreign.status, foreign.text]).toEqual([404, none.text]);
  }
  expect((await eve("GET", `${team}/members`)).status).toBe(404);
  // A key of an owner's may be for reading only.
  const asViewer = { "X-Test-Role": "viewer" };
  expect((await ann("POST", `${team}/members`, { userId: eves, role: "editor" }, asViewer)).status).toBe(403);
  expect((await ann("PATCH", `${team}/members/${bobsId}`, { role: "editor" })).status).toBe(200);
  expect(
    (await ann("POST", `${team}/members`, { userId: eves, email: "x@example.com", role: "editor" })).status,
  ).toBe(422);
});

it("a request or a browser's cookie selects the workspace, and each workspace has its own sessions", async () => {
  const [ann, bob] = [await somebody("ann"), await somebody("bob")];
  const { id } = (await ann("POST", "/workspaces", { name: "Two" })).json.workspace;
  await ann("POST", `/workspaces/${id}/members`, { userId: userIdOf(profile("bob")), role: "editor" });
  const there = { "X-Workspace": id };
  const { json } = await ann("POST", "/sessions", { title: "Here" }, there);
  const path = `/sessions/${json.session.id}`;
  expect((await ann("GET", path, undefined, there)).status).toBe(200);
  expect((await ann("GET", path)).status).toBe(404);
  expect((await bob("GET", path, undefined, there)).status).toBe(404);
  const chosen = await ann("PUT", "/me/workspace", { id });
  expect(chosen.headers.get("set-cookie")).toMatch(/^parley_workspace=.*HttpOnly; SameSite=Strict/);
  const [cookie = ""] = (chosen.headers.get("set-cookie") ?? "").split(";");
  expect((await ann("GET", "/me", undefined, { cookie })).json.workspace.id).toBe(id);
  expect((await ann("GET", "/me", undefined, { "X-Workspace": "wsp_none" })).status).toBe(404);
  expect((await bob("PUT", "/me/workspace", { id: "wsp_none" })).status).toBe(404);
});

it("a removed member loses open streams at once, and the next request is refused", async () => {
  const [ann, bob] = [await somebody("ann"), await somebody("bob")];
  const { id } = (await ann("POST", "/workspaces", { name: "Three" })).json.workspace;
  const bobsId = userIdOf(profile("bob"));
  await ann("POST", `/workspaces/${id}/members`, { userId: bobsId, role: "editor" });
  const headers = { "X-Test-Owner": bobsId, "X-Workspace": id };
  const reader = new EventReader(`${api.url}/api/v1/events`, { headers });
  await reader.until(({ received }) => received.some(({ event }) => event === "ready"));
  const own = new EventReader(`${api.url}/api/v1/events`, { headers: { "X-Test-Owner": bobsId } });
  await own.until(({ received }) => received.some(({ event }) => event === "ready"));
  let isOwnClosed = false;
  void own.closed.then(() => {
    isOwnClosed = true;
  });
  expect((await ann("DELETE", `/workspaces/${id}/members/${bobsId}`)).status).toBe(204);
  await reader.closed;
  expect((await bob("GET", "/me", undefined, { "X-Workspace": id })).status).toBe(404);
  expect(
    (await bob("GET", "/workspaces")).json.workspaces.map(({ id: each }: { id: string }) => each),
  ).not.toContain(id);
  expect(isOwnClosed).toBe(false);
  own.close();
});

it("a read-only key cannot leave a workspace on behalf of its user", async () => {
  const [ann, bob] = [await somebody("ann"), await somebody("bob")];
  const { id } = (await ann("POST", "/workspaces", { name: "Four" })).json.workspace;
  const bobsId = userIdOf(profile("bob"));
  await ann("POST", `/workspaces/${id}/members`, { userId: bobsId, role: "editor" });
  const leave = (role: WorkspaceRole) =>
    bob("DELETE", `/workspaces/${id}/members/${bobsId}`, undefined, {
      ...{ "X-Test-Bound": id, "X-Test-Role": role },
    });
  expect((await leave("viewer")).status).toBe(403);
  expect((await ann("GET", `/workspaces/${id}/members`)).json.members).toHaveLength(2);
  expect((await leave("editor")).status).toBe(204);
});

it("a viewer of one workspace can switch to another, and create one (S4.2)", async () => {
  const vera = await somebody("vera");
  const viewer = { "X-Test-Role": "viewer" };
  expect((await vera("POST", "/sessions", {}, viewer)).status).toBe(403);
  const own = personalWorkspaceOf(userIdOf(profile("vera")));
  expect((await vera("PUT", "/me/workspace", { id: own }, viewer)).status).toBeLessThan(300);
  expect((await vera("POST", "/workspaces", { name: "Hers" }, viewer)).status).toBe(201);
});

it("a key acts for its user in its own workspace only, whichever user was named (invariant 20)", async () => {
  const victim = await somebody("victim");
  const attacker = await somebody("attacker");
  const id = userIdOf(profile("victim"));
  const theirs = personalWorkspaceOf(id);
  // Nobody can create a key for a user who signs in.
  const asked = await attacker("POST", "/keys", { name: "key", owner: id, role: "owner" });
  expect([asked.status, asked.json.code]).toEqual([403, "forbidden"]);
  expect((await attacker("POST", "/keys", { name: "key", owner: "ci", role: "editor" })).status).toBe(201);
  // And one that there is leads nowhere else.
  const byKey = { "X-Test-Bound": "elsewhere" };
  expect((await victim("GET", `/workspaces/${theirs}/members`, undefined, byKey)).status).toBe(404);
  const add = { userId: userIdOf(profile("attacker")), role: "owner" };
  expect((await victim("POST", `/workspaces/${theirs}/members`, add, byKey)).status).toBe(404);
  expect((await victim("GET", "/workspaces", undefined, byKey)).json.workspaces).toEqual([]);
  expect((await victim("GET", `/workspaces/${theirs}/members`)).status).toBe(200);
});

it("the audit log records added, changed and removed members, and shared sessions (S4.2)", async () => {
  const olga = await somebody("olga");
  await somebody("paul");
  const own = personalWorkspaceOf(userIdOf(profile("olga")));
  const paul = userIdOf(profile("paul"));
  await olga("POST", `/workspaces/${own}/members`, { userId: paul, role: "viewer" });
  await olga("PATCH", `/workspaces/${own}/members/${paul}`, { role: "editor" });
  await olga("DELETE", `/workspaces/${own}/members/${paul}`);
  const { session } = (await olga("POST", "/sessions", {})).json;
  const { share } = (await olga("POST", `/sessions/${session.id}/shares`, {})).json;
  await olga("DELETE", `/sessions/${session.id}/shares/${share.id}`);
  const { entries } = (await olga("GET", "/audit")).json;
  expect(entries.map(({ action, target }: { action: string; target: string }) => [action, target])).toEqual([
    ["session.unshared", session.id],
    ["session.shared", session.id],
    ["member.removed", paul],
    ["member.changed", paul],
    ["member.added", paul],
  ]);
  expect(JSON.stringify(entries)).not.toContain(share.token);
});
