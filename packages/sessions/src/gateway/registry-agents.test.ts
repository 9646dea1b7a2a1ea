import { AgentRegistry, ListedAgents } from "@parley/registry";
import { expect, it, onTestFinished } from "vitest";
import { RegistryAgents } from "./registry-agents.ts";
import { startAgent } from "./testing/gateway.ts";
import { ServedAgent } from "./testing/served-agent.ts";

const executor = { execute: async () => undefined };

async function known(...agents: readonly ServedAgent[]) {
  const listings = agents.map(({ name, url }) => ({ name, url, vouched: true as const }));
  const registry = new AgentRegistry({ sources: [new ListedAgents(listings)], policy: {} });
  onTestFinished(() => registry.stop());
  await registry.start();
  return registry;
}

it("agents are looked up by name at each call, wherever they are now; others are reached by URL (S4.26)", async () => {
  const [blue, green] = [
    await startAgent({ name: "blue", executor }),
    await startAgent({ name: "green", executor }),
  ];
  const agents = new RegistryAgents(await known(blue), { policy: { allowOrigins: [green.url] } });
  const moved = await agents.clientFor({ agent: "blue", agentUrl: "http://127.0.0.1:1" });
  expect(moved.endpoint.url).toContain(blue.url);
  const byUrl = await agents.clientFor({ agent: "unlisted", agentUrl: green.url });
  expect(byUrl.card.name).toBe("green");
  const ended = agents.clientFor({ agent: "ended", agentUrl: blue.url });
  await expect(ended).rejects.toThrow("ended cannot be used now (it is not running)");
});

it("those with the same skills can stand in, and one that is back is found before the registry looks again (S4.27)", async () => {
  const [blue, green] = [
    await startAgent({ name: "blue", executor }),
    await startAgent({ name: "green", executor }),
  ];
  const registry = await known(blue, green);
  const agents = new RegistryAgents(registry, { policy: {} });
  const address = { agent: "blue", agentUrl: blue.url };
  expect(agents.alternatives(address)).toEqual([{ agent: "green", agentUrl: green.url }]);
  await blue.stop();
  await registry.recheck("blue");
  await expect(agents.clientFor(address)).rejects.toThrow("blue cannot be used now");
  const back = await ServedAgent.start({ name: "blue", executor, port: blue.port });
  onTestFinished(() => back.stop());
  expect((await agents.clientFor(address)).card.name).toBe("blue");
});

it("named fallbacks that are up stand in, in order, and no others (S4.25, S4.27)", async () => {
  const [blue, green, red] = [
    await startAgent({ name: "blue", executor }),
    await startAgent({ name: "green", executor }),
    await startAgent({ name: "red", executor }),
  ];
  const registry = await known(blue, green, red);
  const agents = new RegistryAgents(registry, { policy: {} });
  const address = { agent: "blue", agentUrl: blue.url };
  const names = (named: readonly string[]) => agents.alternatives(address, named).map(({ agent }) => agent);
  expect(names(["red", "nobody", "blue", "green"])).toEqual(["red", "green"]);
  expect(names([])).toEqual([]);
  await red.stop();
  await registry.recheck("red");
  expect(names(["red", "green"])).toEqual(["green"]);
  // An agent that could not be reached is looked at now.
  await blue.stop();
  agents.alternatives(address);
  await expect.poll(() => registry.agent("blue")?.state).toBe("down");
});
