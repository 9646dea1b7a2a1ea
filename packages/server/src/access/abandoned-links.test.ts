import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GuardedPlatform } from "./testing/guarded-platform.ts";

let platform: GuardedPlatform;
let owner: string;
beforeAll(async () => {
  platform = await GuardedPlatform.start();
  owner = (await platform.key("ann", "home", { role: "owner" })).secret;
}, 180_000);
afterAll(() => platform.stop());

let accounts = 0;

/** A new service account of the workspace "home" that has shared a session. */
async function sharing(more: { readonly role?: "owner"; readonly expiresAt?: string } = {}) {
  const name = `robot-${++accounts}`;
  const key = await platform.key(name, "home", more, owner);
  const { session } = (await platform.ask("POST", "/api/v1/sessions", { key: key.secret, body: {} })).json;
  const path = `/api/v1/sessions/${session.id}/shares`;
  const { share } = (await platform.ask("POST", path, { key: key.secret, body: {} })).json;
  const headers = { "X-Share-Token": share.token as string };
  const status = async (route = "/shared") =>
    (await platform.ask("GET", `/api/v1${route}`, { headers })).status;
  const link = `${path}/${share.id}`;
  return { name, key, headers, path, link, id: share.id as string, sessionId: session.id as string, status };
}

const revoke = (id: string) => platform.ask("DELETE", `/api/v1/keys/${id}`, { key: owner });

describe("A service account's share link", () => {
  it("stops working when the account's only key is revoked, on every route and in open streams", async () => {
    const { key, headers, status } = await sharing();
    const stream = await fetch(`${platform.url}/api/v1/shared/stream`, { headers });
    expect([await status(), stream.status]).toEqual([200, 200]);
    expect((await revoke(key.id)).status).toBe(204);
    // It ends, or this never does.
    await stream.text();
    for (const route of ["/shared", "/shared/events", "/shared/replay?until=1", "/shared/stream"])
      expect([route, await status(route)]).toEqual([route, 404]);
  });

  it("works while the account has another valid key", async () => {
    const { name, key, status } = await sharing({ role: "owner" });
    const next = await platform.key(name, "home", {}, key.secret);
    await revoke(key.id);
    expect(await status()).toBe(200);
    await revoke(next.id);
    expect(await status()).toBe(404);
  });

  it("stops working when the account's only key expires", async () => {
    const expiresAt = new Date(Date.now() + 3_000).toISOString();
    const { status, headers } = await sharing({ expiresAt });
    expect(await status()).toBe(200);
    await (await fetch(`${platform.url}/api/v1/shared/stream`, { headers })).text();
    await expect.poll(() => status(), { timeout: 60_000 }).toBe(404);
  });
});

describe("The share links of a workspace", () => {
  const list = async (key: string, workspace?: string) =>
    platform.ask("GET", `/api/v1/shares${workspace ? `?workspace=${workspace}` : ""}`, { key });

  it("are listed for its owners and for operators, without the titles of others' sessions", async () => {
    const { id, sessionId, name } = await sharing();
    for (const key of [owner, platform.operator]) {
      const { json, text } = await list(key, "home");
      const listed = { id, sessionId, owner: name, title: "", createdAt: expect.any(String) };
      expect(json.shares, text).toContainEqual(listed);
    }
    expect((await list(owner)).json.shares).toEqual([]);
    const elsewhere = (await platform.key("ann", "office", { role: "owner" })).secret;
    expect((await list(elsewhere, "office")).json.shares).toEqual([]);
    expect((await list(elsewhere, "home")).status).toBe(403);
  });

  it("are not listed for editors", async () => {
    const { key } = await sharing();
    expect((await list(key.secret, "home")).status).toBe(403);
    expect((await list(key.secret)).json.shares).toHaveLength(1);
  });

  it("can be revoked by its owners, also after the account has lost its key", async () => {
    const { key, path, link, id, status } = await sharing();
    await revoke(key.id);
    expect((await platform.ask("GET", path, { key: owner })).json.shares).toMatchObject([{ id }]);
    expect((await platform.ask("DELETE", link, { key: owner })).status).toBe(204);
    expect((await platform.ask("DELETE", link, { key: owner })).status).toBe(404);
    expect(await status()).toBe(404);
    const { entries } = (await platform.ask("GET", "/api/v1/audit", { key: owner })).json;
    expect(entries).toContainEqual(
      expect.objectContaining({ action: "session.unshared", owner: "ann", details: { link: id } }),
    );
  });

  it("can be revoked by operators who name the workspace", async () => {
    const { link, status } = await sharing();
    const by = { key: platform.operator };
    expect((await platform.ask("DELETE", link, by)).status).toBe(404);
    expect((await platform.ask("DELETE", `${link}?workspace=home`, by)).status).toBe(204);
    expect(await status()).toBe(404);
  });

  it("cannot be revoked or created by others", async () => {
    const { link, path, status } = await sharing();
    const editor = (await platform.key(`editor-${++accounts}`, "home", {}, owner)).secret;
    const elsewhere = (await platform.key(`owner-${++accounts}`, "office", { role: "owner" })).secret;
    for (const key of [editor, elsewhere]) {
      expect((await platform.ask("DELETE", link, { key })).status).toBe(404);
      expect((await platform.ask("DELETE", `${link}?workspace=home`, { key })).status).toBe(403);
    }
    expect((await platform.ask("POST", path, { key: owner, body: {} })).status).toBe(404);
    expect(await status()).toBe(200);
  });
});
