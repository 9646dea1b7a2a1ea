import { describe, expect, it } from "vitest";
import { hello, type OddCall, oddAgent, oddCard, read, status, task } from "./testing/odd-agent.ts";

const ours = (url: string) =>
  oddCard(url, {
    capabilities: { streaming: true, extensions: [{ uri: "urn:parley:ext:run:1" }] },
  });
const keyOf = (call: Pick<OddCall, "headers"> | undefined) => call?.headers["idempotency-key"];
const lost = (call: OddCall) => call.response.destroy();

describe("a message whose response is lost (invariant 4)", () => {
  it("is not repeated at an agent that may execute it twice", async () => {
    const agent = await oddAgent(lost);
    const client = await agent.connect();
    const error = await client.send(hello()).catch((it) => it);
    expect(error).toMatchObject({ code: "outcome_unknown", idempotencyKey: keyOf(agent.calls[0]) });
    expect(error.message).toContain("look for its task before sending again");
    await expect(read(client.stream(hello()))).rejects.toMatchObject({ code: "outcome_unknown" });
    expect(agent.calls).toHaveLength(2);
  });

  it("is repeated with the same key at an agent that honours idempotency keys", async () => {
    const agent = await oddAgent((call) => {
      if (call.before < 2) return lost(call);
      if (call.method === "SendMessage") return call.result({ task: task("COMPLETED") });
      return call
        .stream()
        .send({ task: task("WORKING") })
        .send(status("COMPLETED"))
        .end();
    }, ours);
    const client = await agent.connect();
    expect(await client.send(hello())).toMatchObject({ task: { id: "t1" } });
    expect((await read(client.stream(hello()))).states).toEqual(["WORKING", "COMPLETED"]);
    const keys = agent.calls.map(keyOf);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(new Set(keys.slice(3)).size).toBe(1);
    expect(keys[0]).not.toBe(keys[3]);
  });

  it("is repeated if it was never sent, until the agent counts as unreachable", async () => {
    const agent = await oddAgent(
      () => undefined,
      (url) => oddCard(url.replace(/(?<!\d)\d+$/, "1")),
    );
    const policy = { allowOrigins: [agent.url, "http://127.0.0.1:1"] };
    const client = await agent.connect({ policy });
    await expect(client.send(hello())).rejects.toMatchObject({ code: "agent_unreachable", sent: false });
    expect(agent.heard.retrying).toBe(3);
  });

  it("has an unknown outcome after a gateway's 502, but not after a 503 or 429", async () => {
    for (const [code, expected] of [
      [502, "outcome_unknown"],
      [503, "agent_response"],
      [429, "agent_response"],
    ] as const) {
      const agent = await oddAgent(({ response }) => response.writeHead(code).end());
      await expect((await agent.connect()).send(hello())).rejects.toMatchObject({ code: expected });
      expect(agent.calls).toHaveLength(1);
    }
  });

  it("has an unknown outcome if any attempt may have arrived", async () => {
    const agent = await oddAgent(
      (call) => (call.before < 1 ? lost(call) : call.response.writeHead(503).end()),
      ours,
    );
    const client = await agent.connect();
    await expect(client.send(hello())).rejects.toMatchObject({ code: "outcome_unknown" });
    expect(agent.calls.length).toBeGreaterThan(1);
  });

  it("has an unknown outcome when the stream ends without an event", async () => {
    const agent = await oddAgent((call) => call.stream().raw(":\n\n").end());
    await expect(read((await agent.connect()).stream(hello()))).rejects.toMatchObject({
      code: "outcome_unknown",
    });
  });
});

describe("a read (get, list, card)", () => {
  it.each([429, 502, 503, 504])("is retried after a %i", async (code) => {
    const agent = await oddAgent((call) =>
      call.before < 2 ? call.response.writeHead(code).end() : call.result(task("COMPLETED")),
    );
    expect(await (await agent.connect()).get({ id: "t1" })).toMatchObject({ id: "t1" });
    expect(agent.heard.retrying).toBe(2);
  });

  it("waits as long as the agent asks, within reason", async () => {
    const agent = await oddAgent((call) =>
      call.before < 1
        ? call.response.writeHead(429, { "retry-after": "1" }).end()
        : call.result(task("WORKING")),
    );
    const retry = { tries: 1, firstDelayMs: 1, maxDelayMs: 120 };
    const since = performance.now();
    await (await agent.connect({ limits: { retry } })).get({ id: "t1" });
    expect(performance.now() - since).toBeGreaterThan(115);
  });

  it("is retried up to its limit, and cancel never", async () => {
    const agent = await oddAgent(lost);
    const client = await agent.connect();
    await expect(client.get({ id: "t1" })).rejects.toMatchObject({ code: "agent_unreachable", sent: true });
    await expect(client.cancel({ id: "t1" })).rejects.toMatchObject({ code: "agent_unreachable" });
    expect(agent.calls.map(({ method }) => method)).toEqual([...Array(4).fill("GetTask"), "CancelTask"]);
  });

  it.each<[string, (call: OddCall) => unknown]>([
    ["a page of HTML", ({ response }) => response.writeHead(200, { "content-type": "text/html" }).end("<p>")],
    ["an error page", ({ response }) => response.writeHead(500).end("<p>")],
    ["broken JSON", ({ response }) => response.writeHead(200).end('{"result"')],
    ["JSON that is too deep", ({ response }) => response.writeHead(200).end("[".repeat(5_000))],
    ["JSON without a result", ({ response }) => response.writeHead(200).end("{}")],
    ["too much", ({ response }) => response.writeHead(200).end(JSON.stringify("x".repeat(20_000)))],
  ])("that is answered with %s is a typed error", async (_, answer) => {
    const agent = await oddAgent(answer);
    const client = await agent.connect({ limits: { answerBytes: 10_000 } });
    await expect(client.get({ id: "t1" })).rejects.toMatchObject({ code: "agent_response" });
  });

  it("names the invalid field of an invalid response", async () => {
    const agent = await oddAgent((call) => call.result({ id: 7 }));
    await expect((await agent.connect()).get({ id: "t1" })).rejects.toMatchObject({
      kind: "InvalidAgentResponse",
      details: { field: "id" },
    });
  });

  it("times out if the agent does not answer", async () => {
    const agent = await oddAgent(() => undefined);
    const client = await agent.connect({
      limits: { read: 500, retry: { tries: 1, firstDelayMs: 1, maxDelayMs: 1 } },
    });
    await expect(client.get({ id: "t1" })).rejects.toMatchObject({ code: "agent_timeout" });
    expect(agent.calls).toHaveLength(2);
    const deadline = new Date(Date.now() + 20);
    await expect((await agent.connect()).get({ id: "t1" }, { deadline })).rejects.toMatchObject({
      code: "agent_timeout",
    });
    const signal = AbortSignal.abort(new Error("never mind"));
    await expect(client.get({ id: "t1" }, { signal })).rejects.toThrow("never mind");
  });
});

describe("the card's declared capabilities (S1.2)", () => {
  it("decide whether the extended card is requested, which is read like any other", async () => {
    const agent = await oddAgent(
      (call) => call.result(oddCard("https://example.com", { name: "More" }) as never),
      (url) => oddCard(url, { capabilities: { extendedAgentCard: true } }),
    );
    const { card, findings } = await (await agent.connect()).extendedCard();
    expect([card?.name, findings]).toEqual(["More", []]);
    expect(agent.calls.map(({ method }) => method)).toEqual(["GetExtendedAgentCard"]);
  });
});
