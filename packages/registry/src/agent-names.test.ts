import { describe, expect, it } from "vitest";
import { ListedAgents } from "./agent-listing.ts";
import { toolName, uniqueName } from "./agent-names.ts";
import { LoopbackAgent } from "./testing/loopback-agent.ts";
import { watchedRegistry } from "./testing/watched-registry.ts";

describe("an agent's name (S4.25)", () => {
  it.each([
    ["argocd", "argocd"],
    ["Argo CD", "argo-cd"],
    ["Café Finder (beta)", "cafe-finder-beta"],
    ["snake_case", "snake_case"],
    ["--x - y--", "x-y"],
    ["Агент", ""],
    [`${"a".repeat(63)} b`, "a".repeat(63)],
  ])("is made from %j: %j", (text, name) => {
    expect(toolName(text)).toBe(name);
  });

  it("gets a number when it is taken, within 64 characters", () => {
    const long = "a".repeat(64);
    const taken = new Set(["x", "x-2", long]);
    expect(uniqueName("y", taken)).toBe("y");
    expect(uniqueName("x", taken)).toBe("x-3");
    expect(uniqueName(long, taken)).toBe(`${"a".repeat(62)}-2`);
  });

  it("is the card's where none is listed, in the order of the list, and stays", async () => {
    const agents = await Promise.all(
      ["Echo", "Echo", "carry_out_plan", "Агент", "Echo"].map((name) => LoopbackAgent.start({ name })),
    );
    const [first, second] = agents;
    const listings = agents.map(({ url }) => ({ url, vouched: true as const }));
    const source = new ListedAgents([
      ...listings.slice(0, 4),
      { ...listings[4], url: agents[4]?.url ?? "", name: "echo" },
    ]);
    const { registry, heard, until } = watchedRegistry(source, { reservedNames: ["carry_out_plan"] });
    await registry.start();
    const port = new URL(agents[3]?.url ?? "").port;
    const names = () => registry.agents().map(({ name }) => name);
    const all = ["echo-2", "echo-3", "carry_out_plan-2", `agent-127-0-0-1-${port}`, "echo"];
    expect(names()).toEqual(all);
    expect(heard.toSorted()).toEqual(all.map((name) => `${name}: starting → up`).toSorted());
    first?.describe({ name: "Renamed" });
    await until(() => registry.agent("echo-2")?.card?.name === "Renamed");
    await second?.stop();
    await until(() => registry.agent("echo-3")?.state === "down");
    expect(names()).toEqual(all);
    source.set(source.listings().slice(1));
    expect(names()).toEqual(all.slice(1));
  });

  it("comes from its URL until there is a card", async () => {
    const agent = await LoopbackAgent.start({ name: "Late" });
    await agent.stop();
    const { registry, heard, untilState } = watchedRegistry([{ url: agent.url }]);
    await registry.start();
    const provisional = `agent-127-0-0-1-${new URL(agent.url).port}`;
    expect(registry.agents()).toMatchObject([{ name: provisional, state: "down" }]);
    await agent.start();
    await untilState("late", "up");
    expect(registry.agent(provisional)).toBeUndefined();
    expect(heard).toEqual([`${provisional}: starting → down`, "late: down → up"]);
  });
});
