import { type A2AClient, type CardTrust, makeSigningKey, signCard } from "@parley/a2a";
import { freePort } from "@parley/testing/free-ports.ts";
import { describe, expect, it } from "vitest";
import { ListedAgents } from "./agent-listing.ts";
import { findingText } from "./known-agent.ts";
import { AgentDownError, UnknownAgentError } from "./registry-errors.ts";
import { CARD_PATH, LoopbackAgent, skill } from "./testing/loopback-agent.ts";
import { watchedRegistry } from "./testing/watched-registry.ts";

/** What the agent says to a message. */
async function ask(client: A2AClient): Promise<unknown> {
  const message = { messageId: "m1", role: "ROLE_USER" as const, parts: [{ text: "who?" }] };
  return client.send({ message });
}

describe("AgentRegistry (S4.25)", () => {
  it("knows the listed agents with their cards, and makes clients for them (S0.1)", async () => {
    const agent = await LoopbackAgent.start({ name: "Argo CD", skills: [skill("sync", "deploy")] });
    const { registry, heard } = watchedRegistry([{ name: "argocd", url: agent.url }]);
    await registry.start();
    expect(registry.agents()).toMatchObject([
      { name: "argocd", url: agent.url, state: "up", findings: [], card: { name: "Argo CD" } },
    ]);
    expect(await ask(registry.client("argocd"))).toMatchObject({ message: { parts: [{ text: "Argo CD" }] } });
    expect(heard).toEqual(["argocd: starting → up"]);
  });

  it("says what to do about an unlisted agent and one that is down (S4.27)", async () => {
    const port = await freePort();
    const { registry } = watchedRegistry([{ name: "away", url: `http://127.0.0.1:${port}` }]);
    expect(() => registry.client("away")).toThrow(UnknownAgentError);
    const started = registry.start();
    expect(registry.agent("away")).toMatchObject({ state: "starting" });
    expect(() => registry.client("away")).toThrow("away cannot be used now (it has not answered yet)");
    await started;
    expect(registry.agent("away")).toMatchObject({ state: "down" });
    expect(() => registry.client("away")).toThrow(AgentDownError);
    expect(() => registry.client("away")).toThrow(/cannot be reached .*check that the agent runs there/);
    expect(() => registry.client("gone")).toThrow(
      "There is no agent gone (known are away): use one of these",
    );
    expect(await registry.recheck("gone")).toBeUndefined();
  });

  it("notices an agent that comes up late, goes down and comes back, and reports each change once", async () => {
    const agent = await LoopbackAgent.start();
    await agent.stop();
    const { registry, heard, untilState } = watchedRegistry([{ name: "late", url: agent.url }]);
    await registry.start();
    const before = registry.agent("late");
    await agent.start();
    const up = await untilState("late", "up");
    expect(up.trouble).toBeUndefined();
    expect(up.since >= (before?.since ?? "z")).toBe(true);
    const client = registry.client("late");
    await agent.stop();
    const down = await untilState("late", "down");
    expect(down.trouble).toMatch(/cannot be reached/);
    expect(down.card?.name).toBe("Echo");
    const failed = registry.recheck("late");
    expect((await failed)?.state).toBe("down");
    await agent.start();
    await untilState("late", "up");
    expect(registry.client("late")).toBe(client);
    const all = ["late: starting → down", "late: down → up", "late: up → down", "late: down → up"];
    expect(heard).toEqual(all);
  });

  it("asks by the card's tag, although it is fresh, and makes a new client only for another card", async () => {
    const agent = await LoopbackAgent.start({ name: "One" });
    const { registry, heard, until } = watchedRegistry([{ name: "it", url: agent.url }]);
    await registry.start();
    const first = registry.client("it");
    await expect.poll(() => agent.cardRequests.length).toBeGreaterThanOrEqual(4);
    expect(agent.cardRequests.slice(0, 3).map(({ status }) => status)).toEqual([200, 304, 304]);
    expect(agent.cardRequests[1]?.tag).toMatch(/^".+"$/);
    expect(registry.client("it")).toBe(first);
    agent.describe({ name: "Two" });
    await until(() => registry.agent("it")?.card?.name === "Two");
    expect(registry.client("it")).not.toBe(first);
    expect(await ask(registry.client("it"))).toMatchObject({ message: { parts: [{ text: "Two" }] } });
    expect(heard).toEqual(["it: starting → up", "it: card"]);
  });

  it("checks at once when asked to", async () => {
    const agent = await LoopbackAgent.start({ name: "One" });
    const hour = 3_600_000;
    const { registry } = watchedRegistry([{ name: "it", url: agent.url }], {
      ...{ pollMs: hour, firstRetryMs: hour, longestRetryMs: hour },
    });
    await registry.start();
    agent.describe({ name: "Two" });
    expect((await registry.recheck("it"))?.card?.name).toBe("Two");
    await agent.stop();
    expect((await registry.recheck("it"))?.state).toBe("down");
    await agent.start();
    const asked = [registry.recheck("it"), registry.recheck("it"), registry.recheck("it")];
    const before = agent.cardRequests.length;
    expect((await Promise.all(asked)).map((it) => it?.state)).toEqual(["up", "up", "up"]);
    expect(agent.cardRequests.length - before).toBe(1);
  });

  it("backs off from an agent that is down (S4.27)", async () => {
    const agent = await LoopbackAgent.start();
    agent.serve({}, 404);
    const pace = { pollMs: 1, firstRetryMs: 20, longestRetryMs: 160 };
    const { registry, heard } = watchedRegistry([{ name: "it", url: agent.url }], pace);
    await registry.start();
    await expect.poll(() => agent.cardRequests.length).toBeGreaterThanOrEqual(7);
    const times = agent.cardRequests.map(({ at }) => at);
    const pauses = times.slice(1).map((at, index) => at - (times[index] ?? at));
    // A timer never fires more than a millisecond early, so these are the least that they can be.
    const least = [15, 30, 60, 120, 120, 120].map((milliseconds) => milliseconds - 2);
    expect(least.filter((milliseconds, index) => (pauses[index] ?? 0) < milliseconds)).toEqual([]);
    expect(heard).toEqual(["it: starting → down"]);
  });

  it("keeps the findings of a card", async () => {
    const [odd, useless, page] = [
      await LoopbackAgent.start(),
      await LoopbackAgent.start(),
      await LoopbackAgent.start(),
    ];
    odd.serve({ name: "Odd", url: odd.url, protocolVersion: "0.3.0", skills: ["sing"] });
    useless.serve({ name: "Useless", skills: [] });
    page.serve("<html>");
    const { registry } = watchedRegistry([
      { name: "odd", url: odd.url },
      { name: "useless", url: useless.url },
      { name: "page", url: page.url },
      { name: "wrong", url: "over there" },
    ]);
    await registry.start();
    const texts = registry.agents().map(({ state, findings, trouble }) => ({
      state,
      findings: findings.map(findingText),
      trouble,
    }));
    expect(texts[0]).toMatchObject({ state: "up", trouble: undefined });
    expect(texts[0]?.findings).toContain("error at $.description: it is required");
    expect(texts[0]?.findings).toContain(
      "error at $.skills[0]: a skill is an object with id, name, description and tags",
    );
    expect(texts[1]).toMatchObject({
      state: "down",
      trouble: expect.stringMatching(/^Useless offers no interface that we speak/),
    });
    expect(texts[1]?.findings).toContain("error at $.version: it is required");
    expect(texts[2]).toMatchObject({
      state: "down",
      trouble: expect.stringMatching(/publishes no agent card/),
    });
    expect(texts[3]?.trouble).toBe("Its URL is not an absolute one: write it like https://agent.example");
  });

  it("accepts only signed cards where the listing names keys", async () => {
    const agent = await LoopbackAgent.start();
    const { signer, keySet } = await makeSigningKey(agent.url);
    const [jwk = {}] = keySet.keys as CardTrust["keys"][number]["jwk"][];
    const trust = { keys: [{ keyId: signer.keyId, jwk }] };
    const { registry } = watchedRegistry([{ name: "it", url: agent.url, trust }]);
    await registry.start();
    expect(registry.agent("it")?.trouble).toMatch(/^The card's signature does not hold/);
    const card = (await (await fetch(agent.url + CARD_PATH)).json()) as Parameters<typeof signCard>[0];
    agent.serve(await signCard(card, signer));
    expect(await registry.recheck("it")).toMatchObject({ state: "up" });
  });

  it("follows its sources", async () => {
    const [one, two] = [await LoopbackAgent.start(), await LoopbackAgent.start()];
    const hosted = (name: string, { url }: LoopbackAgent) => ({ name, url, hosted: true as const });
    const source = new ListedAgents([hosted("one", one)]);
    const { registry, heard, untilState } = watchedRegistry(source);
    await registry.start();
    expect(registry.agent("one")).toMatchObject({ state: "up", hosted: true });
    const client = registry.client("one");
    source.set([hosted("one", one), hosted("two", two)]);
    await untilState("two", "up");
    expect(registry.client("one")).toBe(client);
    source.set([hosted("two", two)]);
    expect(registry.agents().map(({ name }) => name)).toEqual(["two"]);
    expect(heard).toEqual(["one: starting → up", "two: starting → up", "one: left"]);
  });

  it("finds others whose skills fit, the best first (S4.27)", async () => {
    const agents = {
      lost: [skill("Sync", "deploy", "kubernetes")],
      tagged: [skill("roll", "KUBERNETES"), skill("other", "deploy")],
      once: [skill("list", "deploy")],
      twin: [skill("sync")],
      stranger: [skill("sing", "music")],
      away: [skill("sync", "deploy")],
    };
    const started = await Promise.all(
      Object.entries(agents).map(
        async ([name, skills]) => [name, await LoopbackAgent.start({ skills })] as const,
      ),
    );
    const { registry, untilState } = watchedRegistry(started.map(([name, { url }]) => ({ name, url })));
    await registry.start();
    for (const [name, agent] of started) if (name === "lost" || name === "away") await agent.stop();
    await untilState("lost", "down");
    await untilState("away", "down");
    expect(registry.fittingAgents("lost").map(({ name }) => name)).toEqual(["twin", "tagged", "once"]);
    expect(registry.fittingAgents("nobody")).toEqual([]);
  });

  it("reaches what the policy refuses only where the agent is hosted or vouched for", async () => {
    const [agent, other] = [await LoopbackAgent.start(), await LoopbackAgent.start()];
    const elsewhere = await LoopbackAgent.start({
      interfaces: [{ url: other.url, binding: "JSONRPC", dialects: ["1.0"] }],
    });
    const source = new ListedAgents([
      { name: "stranger", url: agent.url },
      { name: "vouched", url: agent.url, vouched: true },
      { name: "hosted", url: agent.url, hosted: true },
      { name: "elsewhere", url: elsewhere.url, vouched: true },
    ]);
    const { registry } = watchedRegistry(source);
    await registry.start();
    const states = Object.fromEntries(registry.agents().map(({ name, state }) => [name, state]));
    expect(states).toEqual({ stranger: "down", vouched: "up", hosted: "up", elsewhere: "down" });
    expect(registry.agent("stranger")?.trouble).toMatch(/127\.0\.0\.1 is not a public address/);
    expect(registry.agent("elsewhere")?.trouble).toMatch(/127\.0\.0\.1 is not a public address/);
  });

  it("calls no agent once it is stopped", async () => {
    const [stopped, other] = [await LoopbackAgent.start(), await LoopbackAgent.start()];
    const { registry, heard } = watchedRegistry([{ name: "it", url: stopped.url }], { pollMs: 5 });
    const clock = watchedRegistry([{ name: "clock", url: other.url }], { pollMs: 5 });
    await Promise.all([registry.start(), clock.registry.start()]);
    registry.stop();
    const [before, beats] = [stopped.cardRequests.length, other.cardRequests.length];
    await expect.poll(() => other.cardRequests.length).toBeGreaterThan(beats + 20);
    // One may have been on its way.
    expect(stopped.cardRequests.length - before).toBeLessThanOrEqual(1);
    await registry.recheck("it");
    expect(stopped.cardRequests.length - before).toBeLessThanOrEqual(1);
    expect(heard).toEqual(["it: starting → up"]);
  });

  it("aborts a running check when it is stopped", async () => {
    const agent = await LoopbackAgent.start();
    const { registry, heard } = watchedRegistry([{ name: "it", url: agent.url }]);
    const started = registry.start();
    registry.stop();
    await started;
    expect([registry.agent("it")?.state, heard]).toEqual(["starting", []]);
  });
});
