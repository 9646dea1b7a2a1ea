import { WebhookReceiver } from "@parley/testing/webhook-receiver.ts";
import { describe, expect, it } from "vitest";
import { parseCidrList } from "../egress/ip-address.ts";
import { loopbackServer } from "../egress/testing/loopback-server.ts";
import { alice, PATIENCE, startPushAgent } from "./testing/push-agent.ts";
import { storages } from "./testing/storages.ts";

const memory = storages[0]?.[1] ?? (() => Promise.reject(new Error("no storage")));
const once = { retries: { tries: 1 } };

describe("a webhook", () => {
  it("does not follow a redirect, so its token reaches no other host (D7)", async () => {
    const other = await WebhookReceiver.start();
    const { port } = await loopbackServer((_, response) => {
      response.writeHead(307, { location: other.url("/stolen") }).end();
    });
    const agent = await startPushAgent(memory, once);
    const authentication = { scheme: "Bearer", credentials: "secret" };
    await agent.send("go", { url: `http://127.0.0.1:${port}/`, token: "secret", authentication });
    await expect.poll(() => agent.deadLetters.list("alice"), PATIENCE).toHaveLength(3);
    expect((await agent.deadLetters.list("alice"))[0]?.error).toBe("The receiver answered 307");
    expect(other.received).toEqual([]);
  });

  it("to a name that later resolves to a private address is refused at delivery without connecting", async () => {
    const receiver = await WebhookReceiver.start();
    let address = "93.184.215.14";
    const egress = { lookup: async () => [address], allow: parseCidrList("93.184.215.14/32") };
    const agent = await startPushAgent(memory, { ...once, egress });
    const { id: taskId } = await agent.send("ask");
    const url = receiver.url().replace("127.0.0.1", "hooks.example");
    await agent.configs.create({ taskId, url }, alice);
    address = "127.0.0.1";
    await agent.send("go", undefined, { taskId });
    await expect.poll(() => agent.deadLetters.list("alice"), PATIENCE).toHaveLength(2);
    expect((await agent.deadLetters.list("alice"))[0]?.error).toContain("not a public address");
    expect(receiver.received).toEqual([]);
  });

  it("to this machine is refused at registration unless allowed", async () => {
    const agent = await startPushAgent(memory, { egress: {} });
    const { id: taskId } = await agent.send("ask");
    const refused = agent.configs.create({ taskId, url: "http://127.0.0.1:80/" }, alice);
    await expect(refused).rejects.toMatchObject({ kind: "InvalidParams", details: { field: "url" } });
    await expect(refused).rejects.toThrow("url: must lead to a public address");
    const dotted = agent.configs.create({ taskId, url: "https://localhost./" }, alice);
    await expect(dotted).rejects.toThrow("url: must lead to a public address");
  });

  it.each(["https://hooks.example/", "http://hooks.example/"])(
    "%s is refused without revealing what its name resolves to in our network (invariant 20)",
    async (url) => {
      const addresses = url.startsWith("https") ? ["10.20.30.40"] : ["93.184.215.14"];
      const agent = await startPushAgent(memory, { egress: { lookup: async () => addresses } });
      const { id: taskId } = await agent.send("ask");
      const refused = await agent.configs
        .create({ taskId, url }, alice)
        .catch((error: Error) => error.message);
      expect(refused).toMatch(/^url: must .* the agent's operator can allow/);
      expect(refused).not.toMatch(/\d|PARLEY/);
    },
  );
});
