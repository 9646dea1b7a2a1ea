import { once } from "node:events";
import { openModel } from "@parley/models";
import { compatibleWire } from "@parley/models/testing/compatible-wire.ts";
import { cutAfter, refused, stalledAfter } from "@parley/models/testing/provider-server.ts";
import { describe, expect, it } from "vitest";
import { agentAtWork, calling, modelAt, shown } from "./testing/agent-at-work.ts";
import { artifactText, endOf } from "./testing/seen-stream.ts";

const begun = compatibleWire.frames({ text: ["Well, "], end: "stop" }).slice(0, 2);

describe("an agent's limits", () => {
  const forever = { calls: [calling("c", "echo", { say: "again" })] };

  it.each([
    ["steps", { steps: 3 }, "failed: It took more than 3 steps, which is the agent's limit"],
    ["tokens", { tokens: 30 }, "failed: It took more than 30 tokens, which is the agent's limit"],
  ])("of %s end a task that would not", async (_, limits, end) => {
    const { agent, provider } = await agentAtWork([forever], { definition: { limits } });
    expect(endOf(await agent.send("go"))).toBe(end);
    expect(provider.requests.length).toBeLessThanOrEqual(3);
  });

  it.each([
    ["a tool that never returns", { calls: [calling("c", "slow", { steps: 100_000 })] }],
    ["a model that says no more", stalledAfter(begun)],
  ])("of time end %s, and other tasks are served", async (_, turn) => {
    const limits = { seconds: 2.0005 };
    const { agent } = await agentAtWork([turn, { text: ["Hello."] }], { definition: { limits } });
    const [stuck, other] = await Promise.all([agent.send("go"), agent.send("hello")]);
    expect([endOf(stuck), endOf(other)].sort()).toEqual([
      "completed",
      "failed: It took longer than 2.0005 s, which is the agent's limit",
    ]);
  });

  it("of time for one call end a tool that never returns, with an unknown outcome, and the task goes on", async () => {
    const { agent, provider, events } = await agentAtWork(
      [{ calls: [calling("c", "slow", { steps: 100_000 })] }, { text: ["I do not know."] }],
      { definition: { limits: { toolSeconds: 0.3 } } },
    );
    const task = await agent.send("go");
    expect([endOf(task), artifactText(task)]).toEqual(["completed", { current_result: "I do not know." }]);
    expect(shown(provider).at(-1)?.content).toContain(
      "slow did not answer within 0.3 s. What it did until then is unknown.",
    );
    await expect.poll(() => JSON.stringify(events)).toContain("slow was told to stop");
  });

  it("of time may be longer than a timer takes", async () => {
    const { agent } = await agentAtWork([{ text: ["Hello."] }], {
      definition: { limits: { seconds: 1e10 } },
    });
    expect(endOf(await agent.send("go"))).toBe("completed");
  });
});

describe("an agent that is canceled", () => {
  it("in the middle of a call tells the MCP server, and says nothing more", async () => {
    const { agent, events } = await agentAtWork([
      { calls: [calling("c", "slow", { steps: 100_000 })] },
      { text: ["Never said."] },
    ]);
    const id = await agent.begin("go");
    await expect.poll(async () => JSON.stringify(await agent.get(id))).toContain("Calling tool: it__slow");
    expect(endOf(await agent.cancel(id))).toBe("canceled");
    await expect.poll(() => JSON.stringify(events)).toContain("slow was told to stop");
    await agent.engine.idle();
    expect(artifactText(await agent.get(id))).toEqual({});
  });

  it("in the middle of a turn ends the request to the model", async () => {
    let closed: Promise<unknown> | undefined;
    const { agent } = await agentAtWork([
      (response) => {
        closed = once(response, "close");
        return stalledAfter(begun)(response);
      },
    ]);
    const id = await agent.begin("go");
    await expect.poll(async () => artifactText(await agent.get(id))).toEqual({ current_result: "Well, " });
    expect(endOf(await agent.cancel(id))).toBe("canceled");
    await closed;
  });
});

describe("an agent whose model fails", () => {
  it.each([
    [
      "refuses the key",
      refused(compatibleWire.wrongKey("key")),
      /refuses the key: check OPENAI_COMPATIBLE_API_KEY/,
    ],
    ["is not known", refused(compatibleWire.unknownModel), /is not known to its provider/],
    ["breaks off", cutAfter(begun), /broke off|cannot be reached/],
  ])("because it %s, fails the task with that and serves the next (S2.9, S2.15)", async (_, turn, reason) => {
    const { agent } = await agentAtWork([turn, { text: ["Hello."] }], { tools: false });
    expect(endOf(await agent.send("go"))).toMatch(reason);
    expect(endOf(await agent.send("go"))).toBe("completed");
  });

  it("because nobody is there, fails the task with that", async () => {
    const { agent } = await agentAtWork([{}], { tools: false, model: modelAt("http://127.0.0.1:1") });
    expect(endOf(await agent.send("go"))).toMatch(
      /^failed: .*cannot be reached.*check the network and the base URL/,
    );
  });

  it("because there is no such model or no key, fails the task with that", async () => {
    expect(() => openModel("nobody:nothing", { environment: {} })).toThrow(/names no model/);
    const { agent } = await agentAtWork([{}], {
      tools: false,
      model: {
        name: "late",
        async *turn() {
          yield* openModel("openai:gpt", { environment: {} }).turn(
            { system: "", messages: [], tools: [] },
            AbortSignal.abort(),
          );
        },
      },
    });
    expect(endOf(await agent.send("go"))).toMatch(/^failed: openai:gpt needs a key: set OPENAI_API_KEY/);
  });

  it("by saying nothing at all, completes the task with one artifact that says so (S2.11)", async () => {
    const { agent } = await agentAtWork([{}], { tools: false });
    const task = await agent.send("go");
    expect([endOf(task), artifactText(task)]).toEqual([
      "completed",
      { current_result: "The agent finished without saying anything." },
    ]);
  });
});
