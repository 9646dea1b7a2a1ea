import { StorageUnavailableError } from "@parley/journal";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Answer, ApiServer } from "../testing/api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await ApiServer.start();
});
afterAll(() => api.stop());

/** A session with an answer, and what changes it after the first time that a command was sent. */
async function answered() {
  const begun = await api.begun("One");
  await api.answers(begun.id, begun.runId, "Two");
  const path = `/api/v1/sessions/${begun.id}`;
  const goesOn = async ({ json }: Answer) => {
    await api.ask("POST", `${path}/messages`, { content: "Later" });
    const forks = json?.children ?? (json?.messages ? [json] : []);
    for (const { session } of forks)
      await api.ask("PATCH", `/api/v1/sessions/${session.id}`, { title: "Renamed meanwhile" });
  };
  return { ...begun, path, goesOn };
}

describe("a command repeated under its key", () => {
  it.each([
    ["PATCH", "", { title: "New", agent: "critic", archived: true }, { title: "Newer" }],
    ["POST", "/messages", { content: "Three" }, { content: "Four" }],
    ["POST", "/fork", {}, { messages: 1 }],
    ["POST", "/fork", { messages: 1 }, { messages: 0 }],
    ["POST", "/branch", { content: "Three" }, { content: "Three", agent: "critic" }],
    [
      "POST",
      "/compare",
      { content: "Three", agents: ["writer", "critic"] },
      { content: "x", agents: ["writer"] },
    ],
    ["PUT", "/messages/MESSAGE", { content: "Uno" }, { content: "Eins" }],
    ["POST", "/runs/RUN/retry", { agent: "critic" }, { agent: "writer" }],
  ])(
    "has one effect and the very same answer, whatever happened since, and another body is refused: %s %s %#",
    async (method, part, body, other) => {
      const { id, runId, messageId, path, goesOn } = await answered();
      const target = path + part.replace("MESSAGE", messageId).replace("RUN", runId);
      const send = (given: object) => api.ask(method, target, given, { "Idempotency-Key": `key-${id}` });
      const first = await send(body);
      expect([200, 201]).toContain(first.status);
      await goesOn(first);
      const before = (await api.ask("GET", path)).json.session.revision;
      const again = await send(body);
      expect([again.status, again.json]).toEqual([first.status, first.json]);
      expect(await send(other)).toMatchObject({ status: 409, json: { code: "key_reused" } });
      expect((await api.ask("GET", path)).json.session.revision).toBe(before);
    },
  );

  it("is recognised even if its agent or session no longer exists (invariant 4)", async () => {
    const { path } = await answered();
    const headers = { "Idempotency-Key": "before the change" };
    const post = () => api.ask("POST", `${path}/messages`, { content: "Three" }, headers);
    const first = await post();
    await api.ask("PATCH", path, { agent: "critic" });
    expect((await post()).json).toEqual(first.json);
    await api.ask("DELETE", path);
    expect((await post()).json.message).toEqual(first.json.message);
    expect((await api.ask("POST", `${path}/messages`, { content: "Three" })).status).toBe(410);
  });

  it("is completed where it was interrupted between several branches, without repeating any (invariant 4)", async () => {
    const cut = await ApiServer.start();
    onTestFinished(() => cut.stop());
    const branches = await Promise.all([1, 2, 3].map(async () => (await cut.begun("One")).id));
    const path = `/api/v1/sessions/${branches[0]}/compare`;
    const send = () =>
      cut.ask("POST", path, { content: "Two", agents: ["writer"], branches }, { "Idempotency-Key": "cut" });
    const { execute } = cut.sessions;
    cut.sessions.execute = (principal, id, ...rest) =>
      id === branches[1]
        ? Promise.reject(new StorageUnavailableError("The record", new Error("away")))
        : execute.call(cut.sessions, principal, id, ...rest);
    expect((await send()).status).toBe(503);
    cut.sessions.execute = execute;
    const { status, json } = await send();
    expect([status, json.children.length]).toEqual([201, 4]);
    for (const id of branches) {
      const { messages } = (await cut.ask("GET", `/api/v1/sessions/${id}`)).json;
      expect(messages.map(({ content }: { content: string }) => content)).toEqual(["One", "Two"]);
    }
    const { session } = (await cut.ask("GET", `/api/v1/sessions/${branches[0]}`)).json;
    expect(session.children).toHaveLength(1);
  });

  it("is refused with a different file or export, for uploads and imports (invariant 4)", async () => {
    const upload = (text: string, name = "a.txt") =>
      api.ask("POST", "/api/v1/files", new TextEncoder().encode(text), {
        ...{ "Content-Type": "text/plain", "X-File-Name": name, "Idempotency-Key": "upload" },
      });
    const answers = await Promise.all([upload("one"), upload("one"), upload("one")]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    for (const refused of [await upload("two"), await upload("one", "b.txt")])
      expect(refused).toMatchObject({ status: 409, json: { code: "key_reused" } });
    const { id } = await answered();
    const content = (await api.ask("GET", `/api/v1/sessions/${id}/export`)).text;
    const take = (lines: string) =>
      api.ask("POST", "/api/v1/sessions/import", { content: lines }, { "Idempotency-Key": "import" });
    const first = await take(content);
    await api.ask("PATCH", `/api/v1/sessions/${first.json.session.id}`, { title: "Renamed meanwhile" });
    expect((await take(content)).json).toEqual(first.json);
    const [created] = content.split("\n");
    expect(await take(`${created}\n`)).toMatchObject({ status: 409, json: { code: "key_reused" } });
  });
});

describe("a late, duplicate or misdirected request", () => {
  it("is refused for a deleted session", async () => {
    const { path, messageId, runId } = await answered();
    await api.ask("DELETE", path);
    for (const [method, part, body] of [
      ["POST", "/fork", {}],
      ["POST", "/branch", { content: "x" }],
      ["POST", "/compare", { content: "x", agents: ["writer"] }],
      ["PUT", `/messages/${messageId}`, { content: "x" }],
      ["POST", `/runs/${runId}/retry`, {}],
      ["PATCH", "", { title: "x" }],
      ["GET", "", undefined],
    ] as const)
      expect(await api.ask(method, path + part, body)).toMatchObject({ status: 410, json: { code: "gone" } });
    expect((await api.ask("POST", `${path}/restore`)).status).toBe(200);
    expect((await api.ask("POST", `${path}/fork`, {})).status).toBe(201);
  });

  it("is refused if it names an unknown message, run, approval or event", async () => {
    const { path } = await answered();
    for (const [method, part, body, status] of [
      ["PUT", "/messages/none", { content: "x" }, 404],
      ["POST", "/fork", { messageId: "none" }, 404],
      ["POST", "/branch", { messageId: "none", content: "x" }, 404],
      ["POST", "/runs/none/cancel", {}, 404],
      ["POST", "/runs/none/retry", {}, 404],
      ["POST", "/approvals/none", { decision: "approved" }, 404],
      ["POST", "/fork", { messages: 99 }, 422],
      ["POST", "/fork", { eventIndex: 9_999 }, 422],
      ["POST", "/fork", { messages: 1, eventIndex: 1 }, 422],
      ["GET", "/replay?until=9999", undefined, 422],
    ] as const)
      expect([part, (await api.ask(method, path + part, body)).status]).toEqual([part, status]);
    expect((await api.ask("GET", path)).json.session.children).toEqual([]);
  });

  it("edits a message twice concurrently in two forks, and ends the active run once", async () => {
    const { id, messageId } = await api.begun("One");
    const path = `/api/v1/sessions/${id}`;
    const edits = await Promise.all(
      ["Uno", "Eins"].map((content) => api.ask("PUT", `${path}/messages/${messageId}`, { content })),
    );
    expect(edits.map(({ status }) => status)).toEqual([201, 201]);
    expect(edits.map(({ json }) => json.messages.map(({ content }: { content: string }) => content))).toEqual(
      [["Uno"], ["Eins"]],
    );
    const { session, events } = (await api.ask("GET", path)).json;
    expect(session.children).toHaveLength(2);
    expect(events.filter(({ type }: { type: string }) => type === "agent_cancelled")).toHaveLength(1);
  });
});
