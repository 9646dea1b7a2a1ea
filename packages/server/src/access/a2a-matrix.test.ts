import { type ServedCall, servedCalls } from "@parley/a2a";
import { afterAll, beforeAll, expect, it } from "vitest";
import { askAgent } from "./testing/ask-agent.ts";
import { MatrixPeople, type Names, seen, unlike } from "./testing/matrix-people.ts";

let people: MatrixPeople;
beforeAll(async () => {
  people = await MatrixPeople.start();
}, 180_000);
afterAll(() => people.platform.stop());

const calls = servedCalls();
const call = (each: ServedCall, key: string | undefined, names: Names) =>
  askAgent(people.platform, each, key, names);
const named = ({ binding, dialect, method, path }: ServedCall) => `${binding} ${dialect} ${method} ${path}`;

it("the A2A matrix covers every binding and dialect over HTTP", () => {
  const ways = new Set(calls.map(({ binding, dialect }) => `${binding} ${dialect}`));
  expect([...ways].toSorted()).toEqual([
    "HTTP+JSON 0.3",
    "HTTP+JSON 1.0",
    "JSONRPC 0.1",
    "JSONRPC 0.3",
    "JSONRPC 1.0",
  ]);
  expect(calls.length).toBeGreaterThan(40);
});

it("every A2A operation answers 401 without credentials, in its binding's format (S4.33)", async () => {
  const { hers } = people;
  for (const each of calls) {
    const { status, headers, json } = await call(each, undefined, hers);
    expect([named(each), status]).toEqual([named(each), 401]);
    expect(headers.get("www-authenticate")).toBe('Bearer realm="parley"');
    if (each.binding === "JSONRPC")
      expect(json).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32600 } });
    else if (each.dialect === "1.0")
      expect(json.error).toMatchObject({ code: 401, status: "UNAUTHENTICATED" });
    else expect(json).toMatchObject({ code: -32600, message: expect.any(String) });
  }
});

it("every A2A operation on Ann's task answers other users as if the task did not exist (S4.33, invariant 20)", async () => {
  const { ann, others, hers } = people;
  const naming = calls.filter(
    (each) => each.operation !== "list" && each.operation !== "extendedCard" && !isNew(each),
  );
  const missing = { ...hers, taskId: unlike(hers.taskId) };
  for (const each of naming) {
    for (const key of Object.values(others)) {
      const [real, none] = [await call(each, key, hers), await call(each, key, missing)];
      expect(seen(real, { taskId: hers.taskId ?? "" }), named(each)).toBe(
        seen(none, { taskId: missing.taskId }),
      );
      expect(real.text, named(each)).not.toContain("secret");
      // In v0.1 a webhook may be named before its task is.
      if (each.dialect === "0.1" && each.operation.endsWith("Push")) continue;
      const isNotFound = each.binding === "JSONRPC" ? real.json.error.code === -32001 : real.status === 404;
      expect([named(each), isNotFound], real.text).toEqual([named(each), true]);
    }
  }
  const { json } = await people.call("tasks/get", { id: hers.taskId }, ann);
  expect(json.result.id).toBe(hers.taskId);
});

it("other users list none of Ann's tasks, and viewers of her workspace can read but not continue them", async () => {
  const { others, hers } = people;
  for (const each of calls.filter(({ operation }) => operation === "list"))
    for (const key of Object.values(others))
      expect((await call(each, key, hers)).text).not.toContain(hers.taskId);
  const viewer = await people.viewer();
  const changing = new Set(["send", "stream", "cancel", "createPush", "deletePush"]);
  for (const each of calls) {
    const { status } = await call(each, viewer, hers);
    if (changing.has(each.operation)) expect([named(each), status]).toEqual([named(each), 403]);
    else expect([named(each), status]).not.toEqual([named(each), 403]);
  }
});

it("the card declares the required credentials, and a call creates a session owned by its caller", async () => {
  const { ann, others, platform } = people;
  const { json: card } = await platform.ask("GET", "/.well-known/agent-card.json");
  expect(card.securitySchemes.parley).toMatchObject({ type: "http", scheme: "Bearer" });
  expect(card.securityRequirements).toEqual([{ schemes: { parley: {} } }]);
  expect(card.security).toEqual([{ parley: [] }]);
  const sessions = async (key: string) => (await platform.ask("GET", "/api/v1/sessions", { key })).text;
  await expect.poll(() => sessions(ann)).toContain("Another secret word");
  for (const key of Object.values(others)) expect(await sessions(key)).not.toContain("secret");
});

it("a v0.1 client that chooses Ann's task id gets a task of its own", async () => {
  const { ann, others, hers } = people;
  const before = (await people.call("tasks/get", { id: hers.taskId }, ann)).json;
  for (const [at, each] of calls.filter(isNew).entries()) {
    const { status, text } = await call(each, Object.values(others)[at], hers);
    expect([status, text.includes("error"), text.includes("secret")], text).toEqual([200, false, false]);
  }
  expect((await people.call("tasks/get", { id: hers.taskId }, ann)).json).toEqual(before);
});

/** In v0.1 callers name their tasks themselves. */
function isNew({ dialect, operation }: ServedCall): boolean {
  return dialect === "0.1" && (operation === "send" || operation === "stream");
}
