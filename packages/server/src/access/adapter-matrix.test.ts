import { ADAPTERS } from "@parley/adapters";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADAPTER_ROWS, type AdapterRow, type AdapterRows } from "./testing/adapter-rows.ts";
import type { Answered } from "./testing/guarded-platform.ts";
import { filled, MatrixPeople, type Names, seen, unlike } from "./testing/matrix-people.ts";

let people: MatrixPeople;
beforeAll(async () => {
  people = await MatrixPeople.start();
}, 180_000);
afterAll(() => people.platform.stop());

function ask(
  { route, body, headers = {} }: AdapterRow,
  key: string | undefined,
  names: Names,
): Promise<Answered> {
  const [method = "", path = ""] = route.split(" ");
  const sent = Object.entries(headers).map(([name, value]) => [name, filled(value, names)]);
  return people.platform.ask(method, filled(path, names), {
    ...{ key, headers: Object.fromEntries(sent) },
    ...(body !== undefined && { body: filled(JSON.stringify(body), names) }),
  });
}

/** The answer is a refusal as the protocol writes it. */
function isRefusal({ type, refusal }: AdapterRows, { headers, json, text }: Answered, route: string): void {
  expect(headers.get("content-type"), route).toBe(type);
  expect(refusal.safeParse(json ?? text).error?.issues, `${route}: ${text}`).toBeUndefined();
}

const adapters = Object.entries(ADAPTER_ROWS);

it("the adapter matrix has rows for each adapter", () => {
  for (const { paths } of ADAPTERS) {
    const known = adapters.filter(([, { rows }]) => rows.some(({ route }) => paths.test(pathOf(route))));
    expect(
      known.map(([name]) => name),
      String(paths),
    ).toHaveLength(1);
  }
});

describe.each(adapters)("%s", (_, adapter) => {
  it("answers 401 with a challenge to a missing or wrong key, in its own format (S4.2)", async () => {
    for (const row of adapter.rows) {
      for (const key of [undefined, "parley_wrong"]) {
        const answer = await ask(row, key, people.hers);
        expect([row.route, answer.status], answer.text).toEqual([row.route, 401]);
        expect(answer.headers.get("www-authenticate"), row.route).toMatch(/^Bearer/);
        isRefusal(adapter, answer, row.route);
      }
    }
  });

  it("refuses a body without a JSON content type, in its own format", async () => {
    const headers = { "Content-Type": "text/plain" };
    const row = adapter.rows.find(({ route }) => route.startsWith("POST"));
    if (!row) throw new Error("A adapter has something to post to");
    const answer = await ask({ ...row, headers: { ...row.headers, ...headers } }, people.ann, people.hers);
    expect(answer.status, answer.text).toBe(415);
    isRefusal(adapter, answer, row.route);
  });

  it("answers other users and workspaces byte for byte as if her resources did not exist (S4.2, invariant 20)", async () => {
    const { others, hers } = people;
    const missing = { ...hers, id: unlike(hers.id), runId: unlike(hers.runId) };
    for (const row of adapter.rows.filter(({ expected }) => expected === "nothing there")) {
      for (const [who, key] of Object.entries(others)) {
        const [real, none] = [await ask(row, key, hers), await ask(row, key, missing)];
        expect([row.route, who, real.status], real.text).toEqual([row.route, who, row.missing ?? 404]);
        expect(seen(real, hers), row.route).toBe(seen(none, missing));
        expect(real.text).not.toContain("secret");
        if (row.missing === undefined) isRefusal(adapter, real, row.route);
      }
    }
  });

  it("lets viewers read, and refuses everything else", async () => {
    const viewer = await people.viewer();
    for (const row of adapter.rows) {
      const answer = await ask(row, viewer, people.hers);
      expect([row.route, answer.status], answer.text).toEqual([row.route, row.viewer]);
      if (row.viewer === 403) isRefusal(adapter, answer, row.route);
      expect(answer.text, row.route).toContain(row.viewerHears ?? "");
    }
  });
});

// After all adapters were tried by those who have no such session: here they make one.
describe.each(adapters)("%s with an id that another user has chosen", (_, adapter) => {
  it("creates the caller's own session under that id, and gives no access to the other", async () => {
    const { others, hers, ann, platform } = people;
    const reading = async () => (await platform.ask("GET", `/api/v1/sessions/${hers.id}`, { key: ann })).json;
    const before = await reading();
    for (const row of adapter.rows.filter(({ expected }) => expected === "taken")) {
      for (const key of Object.values(others)) {
        const answer = await ask(row, key, hers);
        // In a session of their own that they have by now, the same message again may be refused.
        expect([200, 409], `${row.route}: ${answer.text}`).toContain(answer.status);
        expect(answer.headers.get("x-session-id") ?? "named.", row.route).toMatch(/^named\./);
        expect(answer.text).not.toContain("secret");
      }
    }
    expect(await reading()).toEqual(before);
  });
});

function pathOf(route: string): string {
  return route.split(" ")[1]?.split("?")[0] ?? "";
}
