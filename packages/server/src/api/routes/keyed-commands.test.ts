import { personalWorkspaceOf, userIdOf } from "@parley/identity";
import { profile } from "@parley/identity/testing/people-nodes.ts";
import { type Journal, openMemoryJournal } from "@parley/journal";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { journalTables } from "../../journal-tables.ts";
import { ApiServer } from "../testing/api-server.ts";

const ANN = userIdOf(profile("ann"));
const BOB = userIdOf(profile("bob"));
const HOME = personalWorkspaceOf(ANN);
let api: ApiServer;
let session = "";
/** All that was ever appended. */
const recorded: string[] = [];
beforeAll(async () => {
  const memory = openMemoryJournal({ projections: journalTables() });
  const journal: Journal = new Proxy(memory, {
    get(target, name) {
      const own = Reflect.get(target, name, target);
      if (typeof own !== "function") return own;
      return (...given: unknown[]) => {
        if (name === "append" || name === "appendAll") recorded.push(JSON.stringify(given));
        return own.apply(target, given);
      };
    },
  });
  api = await ApiServer.start({}, journal, {
    identityOf: () => ({ owner: ANN, workspace: HOME, role: "owner", name: "ann" }),
  });
  await api.people.ensureUser(profile("ann"));
  await api.people.ensureUser(profile("bob"));
});
afterAll(() => api.stop());

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
}

it("every POST that creates a resource accepts an Idempotency-Key (invariant 4)", async () => {
  const { json } = await api.ask("GET", "/api/v1/openapi.json");
  const paths = Object.entries(json.paths as Record<string, { readonly post?: Operation }>);
  const creating = paths.filter(([, { post }]) => post && "201" in post.responses);
  expect(creating.length).toBeGreaterThan(8);
  const without = creating.filter(
    ([, { post }]) => !post?.parameters?.some(({ name }) => name === "Idempotency-Key"),
  );
  expect(without.map(([path]) => path)).toEqual([]);
});

describe.each([
  ["a workspace", "POST", (): string => "/workspaces", { name: "Team" }, { name: "Other" }],
  ["a key", "POST", (): string => "/keys", { name: "ci" }, { name: "other" }],
  ["a link", "POST", (): string => `/sessions/${session}/shares`, {}, { expiresAt: "2100-01-01T00:00:00Z" }],
  [
    "a member",
    "POST",
    (): string => `/workspaces/${HOME}/members`,
    { userId: BOB, role: "viewer" },
    { userId: BOB, role: "owner" },
  ],
] as const)("%s", (what, method, path, body, other) => {
  const send = (given: object, key: string) =>
    api.ask(method, `/api/v1${path()}`, given, { "Idempotency-Key": key });

  it("is created once per key with the same response, however often and concurrently it is requested", async () => {
    const before = await counted();
    const first = await Promise.all(Array.from({ length: 4 }, () => send(body, `at once ${what}`)));
    const again = await send(body, `at once ${what}`);
    for (const { status, text } of [...first, again]) expect([status, text]).toEqual([201, first[0]?.text]);
    expect(await counted()).toBe(before + 1);
    const reused = await send(other, `at once ${what}`);
    expect([reused.status, reused.json.code]).toEqual([409, "key_reused"]);
    expect(await counted()).toBe(before + 1);
  });
});

beforeAll(async () => {
  session = (await api.ask("POST", "/api/v1/sessions", {})).json.session.id;
});

/** How many things there are in all. */
async function counted(): Promise<number> {
  const get = async (path: string) => (await api.ask("GET", `/api/v1${path}`)).json;
  const [keys, workspaces, members, shares] = [
    await get("/keys"),
    await get("/workspaces"),
    await get(`/workspaces/${HOME}/members`),
    await get("/shares"),
  ];
  return keys.keys.length + workspaces.workspaces.length + members.members.length + shares.shares.length;
}

it("a repeated response has the right secret, which is stored nowhere, and keys of other callers are separate", async () => {
  const share = async (key: string) =>
    (await api.ask("POST", `/api/v1/sessions/${session}/shares`, {}, { "Idempotency-Key": key })).json.share;
  const [first, again, other] = [await share("one"), await share("one"), await share("two")];
  expect(again).toEqual(first);
  expect(other.token).not.toBe(first.token);
  const read = await api.ask("GET", "/api/v1/shared", undefined, { "X-Share-Token": again.token });
  expect(read.status).toBe(200);
  expect(recorded.join()).toContain(first.id);
  for (const { token } of [first, other]) expect(recorded.join()).not.toContain(token);
});

it("a removal repeated under its key gets the first response, not an error", async () => {
  const { share } = (await api.ask("POST", `/api/v1/sessions/${session}/shares`, {})).json;
  const revoke = () =>
    api.ask("DELETE", `/api/v1/sessions/${session}/shares/${share.id}`, undefined, {
      "Idempotency-Key": "gone",
    });
  expect([(await revoke()).status, (await revoke()).status]).toEqual([204, 204]);
});
