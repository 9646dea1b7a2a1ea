import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MatrixPeople, seen, unlike } from "../../access/testing/matrix-people.ts";

let people: MatrixPeople;
beforeAll(async () => {
  people = await MatrixPeople.start();
}, 180_000);
afterAll(() => people.platform.stop());

const input = (threadId: string, more: object = {}) => ({
  ...{ threadId, runId: "run", messages: [], ...more },
});
const message = { id: randomUUID(), role: "user", content: "Let me in" };
const ask = (key: string | undefined, body: object, path = "/agui") =>
  people.platform.ask("POST", path, { key, body });

it("a request without or with a wrong key is refused in AG-UI's format, with a challenge (S4.2)", async () => {
  for (const key of [undefined, "parley_wrong"]) {
    const { status, headers, json } = await ask(key, input(randomUUID()));
    expect([status, json.type, json.code]).toEqual([401, "RUN_ERROR", "not_authenticated"]);
    expect(headers.get("www-authenticate")).toContain("Bearer");
    expect(headers.get("content-type")).toBe("application/json");
  }
});

it("another user's thread gives the same response as one that does not exist (S4.2, invariant 20)", async () => {
  const { hers, others, ann } = people;
  const thread = hers.id ?? "";
  const missing = unlike(thread);
  const resume = [{ interruptId: "any", status: "resolved", payload: true }];
  expect((await ask(ann, input(thread))).text).toContain("The secret word");
  for (const key of Object.values(others))
    for (const more of [{}, { resume }, { messages: [{ ...message, role: "assistant" }] }]) {
      const [real, none] = [await ask(key, input(thread, more)), await ask(key, input(missing, more))];
      expect(seen(real, { thread })).toBe(seen(none, { thread: missing }));
    }
});

it("a thread under the name of another user's is the caller's own", async () => {
  const { hers, others, ann } = people;
  const before = (await ask(ann, input(hers.id ?? ""))).text;
  for (const key of Object.values(others)) {
    const said = await ask(key, input(hers.id ?? "", { messages: [message] }));
    expect([said.status, said.text.includes("named.")]).toEqual([200, true]);
    expect(said.text).not.toContain("secret");
  }
  expect((await ask(ann, input(hers.id ?? ""))).text).toBe(before);
});

it("a viewer cannot run an agent", async () => {
  const { status, json } = await ask(await people.viewer(), input(randomUUID(), { messages: [message] }));
  expect([status, json.type, json.code]).toEqual([403, "RUN_ERROR", "forbidden"]);
});

it("another user's file is not found (invariant 20)", async () => {
  const { hers, others } = people;
  const source = (value = "") => ({ type: "file", provider: "parley", value });
  const withFile = (value?: string) => [
    { ...message, content: [{ type: "document", source: source(value) }] },
  ];
  const file = hers.file ?? "";
  const real = await ask(others.bob, input(randomUUID(), { messages: withFile(file) }));
  const none = await ask(others.bob, input(randomUUID(), { messages: withFile(unlike(file)) }));
  expect(real.status).toBe(422);
  expect(seen(real, {})).toBe(seen(none, {}));
});
