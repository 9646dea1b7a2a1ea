import { describe, expect, it } from "vitest";
import type { Model } from "./model.ts";
import { type ModelError, ModelKeyError, ModelUnreachableError } from "./model-errors.ts";
import { openModel } from "./open-model.ts";
import { retrying } from "./retrying.ts";
import { collected } from "./testing/collected.ts";
import { compatibleWire as wire } from "./testing/compatible-wire.ts";
import {
  type Answer,
  cutAfter,
  type ProviderServer,
  providerServer,
  refused,
  streamed,
} from "./testing/provider-server.ts";

const hello = wire.frames({ text: ["Hello ", "there"], end: "stop" });
const busy = refused({ ...wire.rateLimit, headers: { "retry-after-ms": "20" } });

async function served(...answers: [Answer, ...Answer[]]): Promise<{ model: Model; server: ProviderServer }> {
  const server = await providerServer(...answers);
  const model = openModel(wire.name, { environment: wire.environment(server.url, "k") });
  return { model, server };
}

describe("a retrying model", () => {
  it("retries if the provider was busy or unreachable before the turn started, after the requested delay (S4.27)", async () => {
    const cut: Answer = (response) => void response.destroy();
    const { model, server } = await served(busy, cut, streamed(hello));
    const waits: number[] = [];
    const again = retrying(model, { onRetry: (_: ModelError, wait: number) => waits.push(wait) });
    expect((await collected(again, {})).text).toBe("Hello there");
    expect(server.requests).toHaveLength(3);
    expect(waits).toEqual([250, 1_000]);
    expect(again.name).toBe(model.name);
  });

  it("repeats no output: a turn that had started fails", async () => {
    const { model, server } = await served(cutAfter(hello.slice(0, 2)), streamed(hello));
    const { text, error } = await collected(retrying(model), {});
    expect(text).toBe("Hello ");
    expect(error).toBeInstanceOf(ModelUnreachableError);
    expect(server.requests).toHaveLength(1);
  });

  it("gives up after its attempts", async () => {
    const { model, server } = await served(busy);
    expect((await collected(retrying(model, { attempts: 2 }), {})).error).toMatchObject({
      name: "ModelBusyError",
    });
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ["a refused key", refused(wire.wrongKey("k")), ModelKeyError.name],
    ["a wait beyond its patience", refused(wire.rateLimit), "ModelBusyError"],
  ])("reports %s at once", async (_, answer, name) => {
    const { model, server } = await served(answer);
    expect((await collected(retrying(model, { longestWaitMs: 100 }), {})).error).toMatchObject({ name });
    expect(server.requests).toHaveLength(1);
  });

  it("stops waiting when it is aborted", async () => {
    const { model, server } = await served(refused(wire.rateLimit));
    const controller = new AbortController();
    const again = retrying(model, { onRetry: () => controller.abort("stopped") });
    expect((await collected(again, {}, controller.signal)).error).toBe("stopped");
    expect(server.requests).toHaveLength(1);
  });
});
