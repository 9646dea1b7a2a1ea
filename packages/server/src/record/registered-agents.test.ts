import { randomBytes } from "node:crypto";
import { parseCidrList } from "@parley/a2a";
import { type Journal, openMemoryJournal, SecretSeal } from "@parley/journal";
import { AgentRegistry } from "@parley/registry";
import { sessionTables } from "@parley/sessions";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { ApiServer } from "../api/testing/api-server.ts";
import { startCardAgent } from "../testing/card-agent.ts";
import { AgentStore } from "./agent-store.ts";
import { RegisteredAgents, runTargets } from "./registered-agents.ts";

const skill = (id: string, ...tags: string[]) => ({ id, name: id, description: id, tags });
const key = { "Idempotency-Key": "a key of the client's" };
const seal = new SecretSeal(randomBytes(32));

/** A registry whose agents are those of the book alone, and the API to it. */
async function started(journal: Journal = openMemoryJournal({ projections: sessionTables })) {
  const book = await AgentStore.open(journal, seal, pino({ level: "silent" }));
  const registry = new AgentRegistry({ sources: [book], policy: { allow: parseCidrList("127.0.0.0/8") } });
  await registry.start();
  const agents = new RegisteredAgents(registry, book);
  const api = await ApiServer.start({}, journal, { agents });
  onTestFinished(async () => {
    registry.stop();
    await api.stop();
  });
  return { api, registry, journal, book };
}

it("agents are added, changed and removed once per key, and repeats get the first response (invariant 4)", async () => {
  const { api } = await started();
  const agent = await startCardAgent([skill("tides")]);
  const body = { url: agent.url, name: "tides", credentials: { bearer: { token: "s3cr3t" } } };
  const add = (given: object = body) => api.ask("POST", "/api/v1/agents", given, key);
  const [first, second] = await Promise.all([add(), add()]);
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(first.json.agent).toMatchObject({
    ...{ name: "tides", state: "up", hasCredentials: true },
    negotiated: { binding: expect.any(String), dialect: expect.any(String) },
  });
  await agent.stop();
  expect((await api.ask("POST", "/api/v1/agents/tides/recheck")).json.agent.state).toBe("down");
  expect((await add()).json).toEqual(first.json);
  for (const other of [
    { ...body, name: "other" },
    { ...body, credentials: { bearer: { token: "other" } } },
  ])
    expect(await add(other)).toMatchObject({ status: 409, json: { code: "key_reused" } });
  expect((await api.ask("POST", "/api/v1/agents", body)).json.code).toBe("conflict");
  const off = { "Idempotency-Key": "off" };
  const disable = () => api.ask("PATCH", "/api/v1/agents/tides", { enabled: false }, off);
  const disabled = await disable();
  await api.ask("PATCH", "/api/v1/agents/tides", { enabled: true });
  expect((await disable()).json).toEqual(disabled.json);
  expect((await api.ask("GET", "/api/v1/agents/tides")).json.agent.enabled).toBe(true);
  expect((await api.ask("PATCH", "/api/v1/agents/tides", { enabled: true }, off)).status).toBe(409);
  const gone = { "Idempotency-Key": "gone" };
  const remove = () => api.ask("DELETE", "/api/v1/agents/tides", undefined, gone);
  expect([(await remove()).status, (await remove()).status]).toEqual([204, 204]);
  expect((await api.ask("DELETE", "/api/v1/agents/tides")).status).toBe(404);
  expect((await api.ask("GET", "/api/v1/agents/tides")).status).toBe(404);
  // What was done is noted with it, once, and what was refused is not; no credential is.
  const { text, json } = await api.ask("GET", "/api/v1/audit");
  const actions = json.entries.map(({ action }: { action: string }) => action);
  expect(actions).toEqual(["agent.removed", "agent.changed", "agent.changed", "agent.added"]);
  expect(text).not.toContain("s3cr3t");
});

it("an agent is checked before it is added, and a removal can be undone with its credentials (S4.25)", async () => {
  const { api, book } = await started();
  const agent = await startCardAgent([skill("tides")]);
  const body = {
    url: agent.url,
    name: "tides",
    credentials: { bearer: { kind: "bearer", token: "s3cr3t" } },
  };
  const checked = await api.ask("POST", "/api/v1/agent-checks", body);
  expect(checked).toMatchObject({ status: 200, json: { agent: { name: "tides", state: "up" } } });
  expect(checked.json.agent).toMatchObject({ skills: [skill("tides")], negotiated: { dialect: "1.0" } });
  const nobody = await api.ask("POST", "/api/v1/agent-checks", { url: "http://127.0.0.1:9" });
  expect(nobody).toMatchObject({
    status: 200,
    json: { agent: { state: "down", trouble: expect.any(String) } },
  });
  expect((await api.ask("GET", "/api/v1/agents")).json.agents).toEqual([]);
  const { json: added } = await api.ask("POST", "/api/v1/agents", body);
  expect(added.agent.added).toBe(true);
  expect((await api.ask("DELETE", "/api/v1/agents/tides")).status).toBe(204);
  const back = await api.ask("POST", "/api/v1/agents/tides/restore");
  expect(back).toMatchObject({ status: 200, json: { agent: { state: "up", hasCredentials: true } } });
  expect(book.listings()).toEqual([{ name: "tides", url: agent.url, credentials: body.credentials }]);
  expect((await api.ask("POST", "/api/v1/agents/tides/restore")).status).toBe(409);
  expect((await api.ask("POST", "/api/v1/agents/never/restore")).status).toBe(404);
});

it("a command that a crash interrupted before its response is answered when repeated, and executed once", async () => {
  const { api, book, journal } = await started();
  const agent = await startCardAgent();
  const body = { url: agent.url, name: "echo" };
  // The process ends between the two.
  book.answered = () => Promise.reject(new Error("The process ended here"));
  expect((await api.ask("POST", "/api/v1/agents", body, key)).status).toBe(500);
  const next = await started(journal);
  const again = await next.api.ask("POST", "/api/v1/agents", body, key);
  expect(again).toMatchObject({ status: 201, json: { agent: { name: "echo", state: "up" } } });
  expect((await next.api.ask("POST", "/api/v1/agents", body, key)).json).toEqual(again.json);
  const added = (await journal.read<object>("agents/added", 0)).filter(({ payload }) => "added" in payload);
  expect(added).toHaveLength(1);
});

it("agents are chosen by name or by skill, best first, and unavailable ones are not (S4.25, S4.26)", async () => {
  const { api, registry } = await started();
  const tagged = await startCardAgent([skill("weather", "Tides")]);
  const exact = await startCardAgent([skill("tides")]);
  for (const [name, { url }] of Object.entries({ tagged, exact }))
    await api.ask("POST", "/api/v1/agents", { url, name });
  const named = async (wanted: string) =>
    (await api.ask("GET", `/api/v1/agents?skill=${wanted}`)).json.agents.map(
      ({ name }: { name: string }) => name,
    );
  expect(await named("TIDES")).toEqual(["exact", "tagged"]);
  expect(await named("weather")).toEqual(["tagged"]);
  expect(await named("nothing")).toEqual([]);
  const runs = runTargets(registry, "http://supervisor");
  const session = { id: "s", agent: "tagged" };
  const chosen = async (choice?: { agent?: string; skill?: string }) =>
    (await runs.newRun({ owner: "o", workspace: "w" }, session, choice)).agent;
  expect(await chosen({ skill: "tides" })).toBe("exact");
  expect(await chosen({ agent: "tagged", skill: "tides" })).toBe("tagged");
  expect(await chosen()).toBe("tagged");
  await exact.stop();
  await registry.recheck("exact");
  expect(await chosen({ skill: "tides" })).toBe("tagged");
  await expect(async () => chosen({ skill: "nothing" })).rejects.toMatchObject({ code: "not_found" });
  await expect(async () => chosen({ agent: "nobody" })).rejects.toThrow("nobody");
});
