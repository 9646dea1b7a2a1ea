import { describe, expect, it } from "vitest";
import { ModelKeyError, UnknownModelError } from "./model-errors.ts";
import { defaultModelName, openModel, parseModelName } from "./open-model.ts";
import { collected } from "./testing/collected.ts";
import { compatibleWire } from "./testing/compatible-wire.ts";
import { providerServer, streamed } from "./testing/provider-server.ts";

const hello = streamed(compatibleWire.frames({ text: ["Hello"], end: "stop" }));

describe("a model's name", () => {
  it.each([
    ["anthropic:claude-x", { provider: "anthropic", model: "claude-x" }],
    ["openai-compatible:llama3:8b", { provider: "openai-compatible", model: "llama3:8b" }],
    [
      "openai-compatible:m@http://h:1/v1",
      { provider: "openai-compatible", model: "m", url: "http://h:1/v1" },
    ],
    ["openai-compatible:a@b", { provider: "openai-compatible", model: "a@b" }],
    ["offline", { provider: "offline", model: "" }],
    [" Offline:parley ", { provider: "offline", model: "parley" }],
  ])("%s is parsed into its parts", (text, parts) => {
    expect(parseModelName(text)).toEqual(parts);
  });

  it.each(["", ":", "a b:c", "anthropic", "mistral:large", "openai:"])("%j is refused", (name) => {
    expect(() => openModel(name, { environment: { ANTHROPIC_API_KEY: "k" } })).toThrow(UnknownModelError);
  });
});

describe("opening a model", () => {
  it.each(["anthropic", "openai", "google"])(
    "of %s without a key reports which variable to set",
    (provider) => {
      const open = () => openModel(`${provider}:m`, { environment: { ANTHROPIC_API_KEY: "" } });
      expect(open).toThrow(ModelKeyError);
      expect(open).toThrow("_API_KEY");
    },
  );

  it("for the offline provider reads a pace from its name, and ignores any other word", async () => {
    const said = { messages: [{ role: "user" as const, text: "hello" }], maxOutputTokens: 11 };
    const duration = async (name: string) => {
      const started = performance.now();
      await collected(openModel(name, { environment: {} }), said);
      return performance.now() - started;
    };
    expect(await duration("offline:20")).toBeGreaterThan(490);
    // The shortest of some, as a busy machine may hold any of them up.
    const unpaced = [];
    for (let times = 0; times < 5; times++) unpaced.push(await duration("offline:parley"));
    expect(Math.min(...unpaced)).toBeLessThan(490);
  });

  it("for a compatible endpoint needs a URL, and no key", async () => {
    expect(() => openModel("openai-compatible:m", { environment: {} })).toThrow("OPENAI_COMPATIBLE_BASE_URL");
    const { url, requests } = await providerServer(hello);
    const model = openModel(`openai-compatible:m@${url}/v1/`, { environment: {} });
    expect((await collected(model, {})).text).toBe("Hello");
    expect(requests[0]).toMatchObject({ url: "/v1/chat/completions", body: { model: "m" } });
    expect(requests[0]?.headers.authorization).toBeUndefined();
  });

  it("sends a compatible endpoint's key to no other host", async () => {
    const { url, requests } = await providerServer(hello);
    const environment = {
      OPENAI_COMPATIBLE_BASE_URL: "https://models.example/v1",
      OPENAI_COMPATIBLE_API_KEY: "k",
    };
    await collected(openModel(`openai-compatible:m@${url}`, { environment }), {});
    expect(requests[0]?.headers.authorization).toBeUndefined();
  });

  it("refuses a URL for a provider with its own, so that its key cannot leak", () => {
    const open = () => openModel("openai:m@http://127.0.0.1/v1", { environment: { OPENAI_API_KEY: "k" } });
    expect(open).toThrow("OPENAI_BASE_URL");
  });

  it("uses the injected fetch", async () => {
    const { url } = await providerServer(hello);
    const seen: string[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      seen.push(String(input));
      return globalThis.fetch(input, init);
    };
    const model = openModel(`openai-compatible:m@${url}/v1`, { environment: {}, fetch });
    await collected(model, {});
    expect(seen).toEqual([`${url}/v1/chat/completions`]);
  });

  it.each(["offline", "offline:parley"])("%s needs nothing", (name) => {
    expect(openModel(name, { environment: {} }).name).toBe("offline:parley");
  });
});

describe("the default model", () => {
  it.each([
    [{}, /^offline$/],
    [{ ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "k" }, /^openai:./],
    [{ ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" }, /^anthropic:./],
    [{ GEMINI_API_KEY: "k" }, /^google:./],
    [{ OPENAI_COMPATIBLE_BASE_URL: "http://h/v1" }, /^offline$/],
    [{ OPENAI_COMPATIBLE_BASE_URL: "http://h/v1", OPENAI_COMPATIBLE_MODEL: "m" }, /^openai-compatible:m$/],
    [{ PARLEY_MODEL: "offline", ANTHROPIC_API_KEY: "k" }, /^offline$/],
  ])("with %j is %s, and opens", (environment, expected) => {
    const name = defaultModelName(environment);
    expect(name).toMatch(expected);
    expect(() => openModel(name, { environment })).not.toThrow();
  });
});
