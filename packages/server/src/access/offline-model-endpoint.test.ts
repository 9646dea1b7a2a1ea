import { describe, expect, it, onTestFinished } from "vitest";
import { GuardedPlatform } from "./testing/guarded-platform.ts";

const CHAT = { model: "parley", messages: [{ role: "user", content: "Hello" }] };

async function guarded(environment: Record<string, string>): Promise<GuardedPlatform> {
  const platform = await GuardedPlatform.start(environment);
  onTestFinished(() => platform.stop());
  return platform;
}

function asking(platform: GuardedPlatform) {
  return {
    models: async (key?: string) => (await platform.ask("GET", "/offline-model/v1/models", { key })).status,
    chat: async (key?: string) =>
      (await platform.ask("POST", "/offline-model/v1/chat/completions", { key, body: CHAT })).status,
  };
}

describe("the offline model's endpoint", () => {
  it("answers 404 unless the operator enables it", async () => {
    const platform = await guarded({});
    const { models, chat } = asking(platform);
    expect([await models(platform.operator), await chat(platform.operator)]).toEqual([404, 404]);
  });

  it("applies the same roles and rate limits as every other route when enabled", async () => {
    const platform = await guarded({ PARLEY_OFFLINE_MODEL_ENDPOINT: "on", PARLEY_RATE: "1" });
    const { models, chat } = asking(platform);
    const { secret: viewer } = await platform.key("ann", "home", { role: "viewer" });
    const { secret: editor } = await platform.key("bob", "home");
    expect([await models(), await chat()]).toEqual([401, 401]);
    expect([await models(viewer), await chat(viewer)]).toEqual([200, 403]);
    expect([await models(editor), await chat(editor)]).toEqual([200, 200]);
    const statuses = await Promise.all(Array.from({ length: 30 }, () => chat(editor)));
    expect(statuses).toContain(429);
  });
});
