import { openMemoryJournal } from "@parley/journal";
import { sessionTables } from "@parley/sessions";
import { expect, it, onTestFinished } from "vitest";
import { ApiServer } from "../testing/api-server.ts";

const KEY = "sk-a-secret-that-nobody-may-see";

async function started() {
  const journal = openMemoryJournal({ projections: sessionTables });
  const environment = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: "http://127.0.0.1:9" };
  const api = await ApiServer.start({}, journal, { environment });
  onTestFinished(() => api.stop());
  return api;
}

it("settings list which providers have a key and where to set one, but never the key", async () => {
  const api = await started();
  const { json, text } = await api.ask("GET", "/api/v1/settings");
  expect(json).toMatchObject({ version: "1.2.3", model: { name: "offline" } });
  expect(json.providers.map(({ provider, hasKey }: Record<string, unknown>) => [provider, hasKey])).toEqual([
    ["anthropic", true],
    ["openai", false],
    ["google", false],
    ["openai-compatible", false],
  ]);
  expect(json.providers[0].keyVariables).toEqual(["ANTHROPIC_API_KEY"]);
  expect(json.howToChange).toContain(".env");
  expect(json.limits.supervisor.tokens).toBeGreaterThan(0);
  expect(text).not.toContain(KEY);
});

it("a model check runs one small turn and returns its duration or its error", async () => {
  const api = await started();
  const test = async (model?: string) =>
    (await api.ask("POST", "/api/v1/settings/model-test", model === undefined ? {} : { model })).json;
  expect(await test()).toMatchObject({ model: "offline", ok: true, latencyMs: expect.any(Number) });
  expect(await test("openai:gpt-5.6")).toMatchObject({
    ok: false,
    error: expect.stringContaining("OPENAI_API_KEY"),
  });
  expect(await test("nobody:x")).toMatchObject({
    ok: false,
    error: expect.stringContaining("names no model"),
  });
  const unreachable = await test("anthropic:claude-sonnet-5-5");
  expect(unreachable).toMatchObject({ ok: false, error: expect.any(String) });
  expect(JSON.stringify(unreachable)).not.toContain(KEY);
  // A key must not be sent to an address that a client chose.
  expect(await test("openai-compatible:x@http://127.0.0.1:9/v1")).toMatchObject({ code: "invalid" });
}, 180_000);
