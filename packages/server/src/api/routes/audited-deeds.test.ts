import { personalWorkspaceOf, userIdOf } from "@parley/identity";
import { profile } from "@parley/identity/testing/people-nodes.ts";
import { type Journal, openMemoryJournal, StorageUnavailableError, type StreamAppend } from "@parley/journal";
import { afterAll, beforeAll, expect, it } from "vitest";
import { journalTables } from "../../journal-tables.ts";
import { ApiServer } from "../testing/api-server.ts";

/** A journal that can refuse audit entries, and with them the events of the same commit. */
function forgetful(journal: Journal): { journal: Journal; state: { takesNotes: boolean } } {
  const state = { takesNotes: true };
  const refused = (stream: string) => !state.takesNotes && stream.startsWith("audit/");
  const away = () => Promise.reject(new StorageUnavailableError("no notes", undefined));
  const wrapped: Journal = new Proxy(journal, {
    get(target, name) {
      const own = Reflect.get(target, name, target);
      if (typeof own !== "function") return own;
      return (...given: unknown[]) => {
        if (name === "append" && refused(String(given[0]))) return away();
        if (name === "appendAll" && (given[0] as StreamAppend[]).some(({ stream }) => refused(stream)))
          return away();
        return own.apply(target, given);
      };
    },
  });
  return { journal: wrapped, state };
}

const ANN = userIdOf(profile("ann"));
const BOB = userIdOf(profile("bob"));
const HOME = personalWorkspaceOf(ANN);
const { journal, state } = forgetful(openMemoryJournal({ projections: journalTables() }));
let api: ApiServer;
beforeAll(async () => {
  api = await ApiServer.start({}, journal, {
    identityOf: () => ({ owner: ANN, workspace: HOME, role: "owner", name: "ann" }),
  });
  await api.people.ensureUser(profile("ann"));
  await api.people.ensureUser(profile("bob"));
});
afterAll(() => api.stop());

const ask = (method: string, path: string, body?: unknown) => api.ask(method, `/api/v1${path}`, body);

it("every audited command and its log entry are one commit (S4.2)", async () => {
  const { session } = (await ask("POST", "/sessions", {})).json;
  const members = `/workspaces/${HOME}/members`;
  const shares = `/sessions/${session.id}/shares`;
  const all = async () => {
    const paths = ["/keys", "/workspaces", members, shares, "/sessions?limit=10"];
    const answers = [];
    for (const path of paths) answers.push((await ask("GET", path)).json);
    // A cursor shows how many events were recorded, of any kind.
    return JSON.stringify(answers, (name, value) => (name === "cursor" ? undefined : value));
  };
  /** Each deed, in an order in which each can be done; what one makes is named for the next. */
  const made: Record<string, string> = {};
  const deeds: readonly (readonly [string, () => ReturnType<typeof ask>])[] = [
    ["key.created", () => ask("POST", "/keys", { name: "ci" })],
    ["key.revoked", () => ask("DELETE", `/keys/${made.key}`)],
    ["workspace.created", () => ask("POST", "/workspaces", { name: "Team" })],
    ["member.invited", () => ask("POST", members, { email: "eve@example.com", role: "viewer" })],
    ["invitation.revoked", () => ask("DELETE", `/workspaces/${HOME}/invitations/eve@example.com`)],
    ["member.added", () => ask("POST", members, { userId: BOB, role: "viewer" })],
    ["member.changed", () => ask("PATCH", `${members}/${BOB}`, { role: "editor" })],
    ["member.removed", () => ask("DELETE", `${members}/${BOB}`)],
    ["session.shared", () => ask("POST", shares, {})],
    ["session.unshared", () => ask("DELETE", `${shares}/${made.share}`)],
    ["session.imported", () => ask("POST", "/sessions/import", { content: made.exported })],
    ["session.deleted", () => ask("DELETE", `/sessions/${session.id}`)],
    ["session.restored", () => ask("POST", `/sessions/${session.id}/restore`)],
  ];
  made.exported = (await ask("GET", `/sessions/${session.id}/export`)).text;
  for (const [action, deed] of deeds) {
    const before = await all();
    state.takesNotes = false;
    expect([action, (await deed()).status]).toEqual([action, 503]);
    state.takesNotes = true;
    expect([action, await all()]).toEqual([action, before]);
    const { status, json } = await deed();
    expect([action, status < 300]).toEqual([action, true]);
    made.key = json?.key?.id ?? made.key;
    made.share = json?.share?.id ?? made.share;
    const where = action === "workspace.created" ? json.workspace.id : HOME;
    const noted = await api.audit.page(where, { limit: 1 });
    expect(noted.entries).toMatchObject([{ action, owner: ANN, name: "ann" }]);
  }
});

it("an accepted invitation is audited with the user who accepted it", async () => {
  await ask("POST", `/workspaces/${HOME}/members`, { email: "cat@example.com", role: "viewer" });
  state.takesNotes = false;
  await expect(api.people.ensureUser(profile("cat"))).rejects.toThrow("no notes");
  state.takesNotes = true;
  expect(await api.people.role(HOME, userIdOf(profile("cat")))).toBeUndefined();
  await api.people.ensureUser(profile("cat"));
  const { entries } = await api.audit.page(HOME, { limit: 1 });
  expect(entries).toMatchObject([{ action: "member.joined", owner: userIdOf(profile("cat")), name: "cat" }]);
});
