import { type Journal, openMemoryJournal } from "@parley/journal";
import { openPostgresJournal } from "@parley/journal/postgres";
import { freshDatabase } from "@parley/testing/fresh-database.ts";
import { expect, inject, it, onTestFinished } from "vitest";
import { AuditLog } from "../audit/audit-log.ts";
import { NotAuthenticatedError } from "../identity-errors.ts";
import { discardLog } from "../testing/people-nodes.ts";
import { apiKeyAuthenticator } from "./api-key-authenticator.ts";
import { type KeyRequest, KeyStore } from "./key-store.ts";

const ADMIN = { owner: "root", workspace: "default", name: "root" };
const ANN: KeyRequest = { name: "laptop", owner: "ann", workspace: "home", role: "editor" };

async function opened(
  journal: Journal = openMemoryJournal({}),
): Promise<{ journal: Journal; keys: KeyStore }> {
  const keys = await KeyStore.open(journal, discardLog);
  onTestFinished(async () => {
    await keys.close();
    await journal.close();
  });
  return { journal, keys };
}

it("KeyStore returns a secret of 256 bits once, and stores and lists only its prefix and hash", async () => {
  const { journal, keys } = await opened();
  const { key, secret } = await keys.create(ANN, ADMIN);
  expect(secret).toMatch(/^parley_[\w-]{51}$/);
  expect(secret.startsWith(key.prefix)).toBe(true);
  expect(keys.find(secret).key).toMatchObject({ ...ANN, id: key.id });
  const rest = secret.slice(key.prefix.length);
  const stored = JSON.stringify(await journal.read("access/keys", 0));
  for (const told of [JSON.stringify(keys.list("home")), stored]) expect(told).not.toContain(rest);
  expect(JSON.stringify(keys.list("home"))).not.toContain("hash");
  expect(keys.list("office")).toEqual([]);
});

it("apiKeyAuthenticator ignores placeholders, and rejects invalid keys with our prefix", async () => {
  const { keys } = await opened();
  const { secret } = await keys.create(ANN, ADMIN);
  const shown = (headers: Record<string, string>) => apiKeyAuthenticator(keys)({ headers });
  expect(await shown({ "x-api-key": "none", authorization: "Bearer sk-none" })).toBeUndefined();
  for (const wrong of [{ "x-api-key": "parley_none" }, { authorization: "Bearer parley_none" }])
    await expect(shown(wrong)).rejects.toBeInstanceOf(NotAuthenticatedError);
  expect(await shown({ "x-api-key": secret })).toMatchObject({ owner: "ann", workspace: "home" });
});

it("KeyStore rejects forged, truncated and invented keys with the same message", async () => {
  const { keys } = await opened();
  const { secret, key } = await keys.create(ANN, ADMIN);
  const { secret: other } = await keys.create(ANN, ADMIN);
  const last = secret.endsWith("A") ? "B" : "A";
  const wrong = [
    ...["", "parley_", secret.slice(0, -1), `${secret}x`, secret.slice(0, -1) + last, secret.toUpperCase()],
    ...[key.prefix + other.slice(key.prefix.length), key.prefix, key.id, `${key.prefix}${"A".repeat(43)}`],
  ];
  const reasons = wrong.map((text) => {
    try {
      return keys.find(text).key.id;
    } catch (error) {
      return (error as Error).message;
    }
  });
  expect(new Set(reasons)).toEqual(
    new Set(["This API key is not known here, or was revoked: ask for another"]),
  );
});

it("a key ends when it is revoked in its workspace, or when it expires", async () => {
  const { keys } = await opened();
  const { secret, key } = await keys.create(ANN, ADMIN);
  expect(await keys.revoke("office", key.id, ADMIN)).toBe(false);
  const { ended } = keys.find(secret);
  expect(await keys.revoke("home", key.id, ADMIN)).toBe(true);
  expect(ended.reason).toMatchObject({ message: expect.stringContaining("revoked") });
  expect(() => keys.find(secret)).toThrow("revoked");
  const expiresAt = new Date(Date.now() + 300).toISOString();
  const short = await keys.create({ ...ANN, expiresAt }, ADMIN);
  const held = keys.find(short.secret);
  await expect.poll(() => held.ended.aborted).toBe(true);
  expect(() => keys.find(short.secret)).toThrow(`expired at ${expiresAt}`);
});

it("KeyStore records the last use of a key at most once an hour", async () => {
  const { journal, keys } = await opened();
  const { secret } = await keys.create(ANN, ADMIN);
  expect(keys.list("home")[0]?.lastUsedAt).toBeUndefined();
  for (let times = 0; times < 20; times++) keys.find(secret);
  expect(keys.list("home")[0]?.lastUsedAt).toEqual(expect.any(String));
  await expect.poll(() => journal.head("access/keys")).toBe(3);
});

it("KeyStore audits creation and revocation in the key's workspace, without the secret (S4.33)", async () => {
  const { journal, keys } = await opened();
  const { secret, key } = await keys.create(ANN, ADMIN);
  await keys.revoke("home", key.id, { ...ADMIN, workspace: "home" });
  const audit = new AuditLog(journal);
  const { entries } = await audit.page("home", { limit: 10 });
  expect(entries).toMatchObject([
    { action: "key.revoked", target: key.id, owner: "root", index: 2 },
    { action: "key.created", target: key.id, details: { owner: "ann", role: "editor", prefix: key.prefix } },
  ]);
  expect(JSON.stringify(entries)).not.toContain(secret.slice(key.prefix.length));
  expect((await audit.page("office", { limit: 10 })).entries).toEqual([]);
  for (let more = 0; more < 5; more++)
    await audit.append(ADMIN, { action: "agent.added", target: `a${more}` });
  const first = await audit.page("default", { limit: 2 });
  expect(first.entries.map(({ target }) => target)).toEqual(["a4", "a3"]);
  const second = await audit.page("default", { limit: 10, before: first.next });
  expect(second.entries.map(({ target }) => target)).toEqual(["a2", "a1", "a0"]);
  expect(second.next).toBeUndefined();
});

it("every node accepts a key that another created, and ends access with a key that another revoked", async () => {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  const [one, other] = [
    await opened(await openPostgresJournal({ url })),
    await opened(await openPostgresJournal({ url })),
  ];
  const { secret, key } = await one.keys.create(ANN, ADMIN);
  await expect.poll(() => other.keys.list("home").length, { timeout: 60_000 }).toBe(1);
  const { ended } = other.keys.find(secret);
  await one.keys.revoke("home", key.id, ADMIN);
  await expect.poll(() => ended.aborted, { timeout: 60_000 }).toBe(true);
  expect(() => other.keys.find(secret)).toThrow("not known here, or was revoked");
  // One that opens later hears of it too.
  const third = await opened(await openPostgresJournal({ url }));
  expect(() => third.keys.find(secret)).toThrow("not known here, or was revoked");
});

it("a service account is created once across nodes, and its name stays taken after its key is revoked (attack 10)", async () => {
  const { url, drop } = await freshDatabase(inject("postgresUrl"));
  onTestFinished(drop);
  const [one, other] = [
    await opened(await openPostgresJournal({ url })),
    await opened(await openPostgresJournal({ url })),
  ];
  const account = { isNewAccount: true };
  const both = await Promise.allSettled([
    one.keys.create({ ...ANN, owner: "ci" }, ADMIN, account),
    other.keys.create({ ...ANN, owner: "ci" }, ADMIN, account),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const { key } = await one.keys.create({ ...ANN, owner: "bot" }, ADMIN, account);
  await one.keys.revoke("home", key.id, ADMIN);
  for (const owner of ["ci", "bot", "local", "CI", "bot ", "\tBot", "Local", "Usr_ann"])
    await expect(other.keys.create({ ...ANN, owner }, ADMIN, account)).rejects.toMatchObject({
      code: "forbidden",
    });
  const elsewhere = await other.keys.create({ ...ANN, owner: "ci", workspace: "office" }, ADMIN, account);
  expect(elsewhere.key).toMatchObject({ owner: "ci", workspace: "office" });
});

it("a service account's key ends with its creator's membership (attack 10)", async () => {
  const { keys } = await opened();
  const maker = { owner: "usr_ann", workspace: "home", name: "ann" };
  const { secret } = await keys.create({ ...ANN, owner: "ci" }, maker, { isNewAccount: true });
  let role: "owner" | "viewer" | undefined = "owner";
  const api = apiKeyAuthenticator(keys, async (owner) =>
    owner === maker.owner ? { role, ended: new AbortController().signal } : undefined,
  );
  const shown = () => api({ headers: { "x-api-key": secret } });
  expect(await shown()).toMatchObject({ owner: "ci", role: "editor" });
  role = "viewer";
  expect(await shown()).toMatchObject({ owner: "ci", role: "viewer" });
  role = undefined;
  await expect(shown()).rejects.toBeInstanceOf(NotAuthenticatedError);
});

it("a key that a service account creates ends with the membership of the account's creator", async () => {
  const { keys } = await opened();
  const maker = { owner: "usr_ann", workspace: "home", name: "ann" };
  const ci = { owner: "ci", workspace: "home", name: "ci" };
  await keys.create({ ...ANN, owner: "usr_ann" }, ADMIN);
  await keys.create({ ...ANN, owner: "ci" }, maker, { isNewAccount: true });
  const renewed = await keys.create({ ...ANN, owner: "ci" }, ci);
  const next = await keys.create({ ...ANN, owner: "bot" }, ci, { isNewAccount: true });
  const api = apiKeyAuthenticator(keys, async (owner) =>
    owner === maker.owner ? { role: undefined, ended: new AbortController().signal } : undefined,
  );
  for (const { secret } of [renewed, next])
    await expect(api({ headers: { "x-api-key": secret } })).rejects.toBeInstanceOf(NotAuthenticatedError);
});
