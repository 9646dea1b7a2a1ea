import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import {
  A2AClient,
  AgentCards,
  type EgressPolicy,
  guardedFetch,
  makeSigningKey,
  parseCidrList,
  signCard,
  verifyCard,
} from "@parley/a2a";
import { keySetFetcher } from "@parley/a2a/checks";
import { openMemoryJournal, SecretSeal } from "@parley/journal";
import { AgentRegistry } from "@parley/registry";
import { sessionTables } from "@parley/sessions";
import { freePort } from "@parley/testing/free-ports.ts";
import { pino } from "pino";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ApiServer } from "./api/testing/api-server.ts";
import { AgentStore } from "./record/agent-store.ts";
import { RegisteredAgents } from "./record/registered-agents.ts";
import { dnsServer } from "./testing/dns-server.ts";
import { startGuardedAgent } from "./testing/guarded-agent.ts";
import { badNames, ssrfVectors } from "./testing/ssrf-vectors.ts";

vi.setConfig({ testTimeout: 180_000 });

/** Stands for a public address: the one that the policy of these tests allows. */
const PUBLIC = "127.77.0.1";
const LIMITS = { connect: 10_000, headers: 10_000, total: 20_000 };
const BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;

/** A server at this address, and how many connections it has had. */
async function listener(address: string, answer: RequestListener, port = 0) {
  let connections = 0;
  const server = createServer(answer).listen(port, address);
  server.on("connection", () => connections++);
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

let inside: { readonly port: number; connections(): number };
let policy: EgressPolicy;
let vectors: readonly string[];
/** What the public server answers, by path. */
let answers: RequestListener;
let good: { readonly port: number; connections(): number };
/** How often each name was asked for that leads elsewhere then. */
let rebinds: Map<string, number>;

beforeEach(async () => {
  const v4 = await listener("127.0.0.1", (_, response) => response.end("{}"), await freePort());
  const v6 = await listener("::1", (_, response) => response.end("{}"), v4.port);
  inside = { port: v4.port, connections: () => v4.connections() + v6.connections() };
  answers = (_, response) => response.end("{}");
  good = await listener(PUBLIC, (request, response) => answers(request, response));
  rebinds = new Map();
  const { lookup } = await dnsServer((name) => {
    if (name === "good.test") return [PUBLIC];
    // Leads to the public address when it is first asked for, and inside from then on.
    if (name.startsWith("rebinding")) {
      const times = rebinds.get(name) ?? 0;
      rebinds.set(name, times + 1);
      return times < 2 ? [PUBLIC] : ["127.0.0.1"];
    }
    return badNames(name);
  });
  policy = { lookup, allow: parseCidrList(`${PUBLIC}/32`), limits: LIMITS };
  vectors = ssrfVectors(inside.port);
  expect(vectors.length).toBeGreaterThan(200);
});

describe("the egress guard blocks internal targets", () => {
  it("that would be reachable without it", async () => {
    const open = { ...policy, allow: parseCidrList("0.0.0.0/0, ::/0") };
    const loopback = vectors.filter((url) => /127|::1|localhost|0x7f|loopback/i.test(url));
    await Promise.all(loopback.map((url) => guardedFetch(url, {}, open).catch(() => undefined)));
    expect(inside.connections()).toBeGreaterThan(30);
  });

  it("when called directly, and lets a public one pass", async () => {
    const fates = await Promise.all(
      vectors.map((url) =>
        guardedFetch(url, {}, policy).then(
          () => url,
          () => "refused",
        ),
      ),
    );
    expect(fates.filter((fate) => fate !== "refused")).toEqual([]);
    expect(inside.connections()).toBe(0);
    expect((await guardedFetch(`http://good.test:${good.port}/`, {}, policy)).status).toBe(200);
    expect(good.connections()).toBe(1);
  });

  it.each(BINDINGS)("for a webhook registered over %s, also with a message (S1.24)", async (binding) => {
    const agent = await startGuardedAgent(policy);
    const client = await agent.client(binding);
    const ask = (configuration = {}) => {
      const message = {
        messageId: crypto.randomUUID(),
        role: "ROLE_USER" as const,
        parts: [{ text: "hi" }],
      };
      return client.send({ message, configuration });
    };
    const asked = await ask();
    const taskId = "task" in asked ? asked.task.id : "";
    const accepted: string[] = [];
    for (const [place, url] of vectors.entries()) {
      const refused = (error: Error) => expect(error.message, url).toMatch(/url/i);
      await client.createPush({ taskId, url }).then(() => void accepted.push(url), refused);
      // Both endpoints use the same check.
      if (place % 5 === 0)
        await ask({ taskPushNotificationConfig: { url } }).then(() => void accepted.push(url), refused);
    }
    expect(accepted).toEqual([]);
    const fine = `http://good.test:${good.port}/hook`;
    await client.createPush({ taskId, url: fine });
    const answer = { messageId: "answer", role: "ROLE_USER" as const, parts: [{ text: "go" }], taskId };
    await client.send({ message: answer });
    await expect.poll(() => good.connections(), { timeout: 60_000 }).toBeGreaterThan(0);
    expect(inside.connections()).toBe(0);
  });

  it("for an agent checked or added over the API", async () => {
    const journal = openMemoryJournal({ projections: sessionTables });
    const log = pino({ level: "silent" });
    const book = await AgentStore.open(journal, new SecretSeal(randomBytes(32)), log);
    const registry = new AgentRegistry({ sources: [book], policy });
    await registry.start();
    const api = await ApiServer.start({}, journal, { agents: new RegisteredAgents(registry, book) });
    onTestFinished(async () => {
      registry.stop();
      await api.stop();
    });
    const ups: string[] = [];
    for (const [place, url] of vectors.entries()) {
      const checked = await api.ask("POST", "/api/v1/agent-checks", { url });
      if (checked.json.agent?.state === "up") ups.push(url);
      // Each that is added is looked at again and again.
      if (place % 10 === 0) await api.ask("POST", "/api/v1/agents", { url, name: `agent-${place}` });
    }
    expect([ups, inside.connections()]).toEqual([[], 0]);
    await api.ask("POST", "/api/v1/agent-checks", { url: `http://good.test:${good.port}/` });
    expect(good.connections()).toBeGreaterThan(0);
  });

  it("for the interfaces in an agent's own card", async () => {
    answers = (request, response) => {
      const [, place = ""] = /^\/v\/(\d+)\//.exec(request.url ?? "") ?? [];
      const interfaces = ["JSONRPC", "HTTP+JSON", "GRPC"].map((protocolBinding) => ({
        ...{ url: vectors[Number(place)], protocolBinding, protocolVersion: "1.0" },
      }));
      const card = {
        ...{ name: "liar", description: "Lies", version: "1", skills: [], capabilities: { streaming: true } },
        ...{ defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] },
        supportedInterfaces: interfaces,
      };
      response.setHeader("content-type", "application/json").end(JSON.stringify(card));
    };
    const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "hi" }] };
    const limits = { retry: { tries: 1, firstDelayMs: 1, maxDelayMs: 1 } };
    const cards = new AgentCards({ policy, limits });
    for (const [place] of vectors.entries()) {
      const at = `http://good.test:${good.port}/v/${place}/`;
      for (const binding of BINDINGS) {
        const connected = A2AClient.connect(at, {
          ...{ policy, limits, cards },
          accept: (endpoint) => endpoint.binding === binding,
        });
        const sent = connected.then((client) => client.send({ message }));
        await expect(sent, `${binding} ${vectors[place]}`).rejects.toThrow();
      }
    }
    expect(inside.connections()).toBe(0);
    expect(good.connections()).toBeGreaterThanOrEqual(vectors.length);
  });

  it("for the key set that a card's signature names, even where it was trusted", async () => {
    const { signer, keySet } = await makeSigningKey(`http://good.test:${good.port}/keys`);
    answers = (_, response) => response.end(JSON.stringify(keySet));
    const card = { name: "signed", description: "Is signed", version: "1" };
    const fetchKeySet = keySetFetcher(policy);
    const verified = async (keySetUrl: string, trusted: readonly string[]) => {
      const signed = await signCard(card, { ...signer, keySetUrl });
      return verifyCard(signed, { keys: [], keySetUrls: trusted, fetchKeySet });
    };
    for (const url of vectors) {
      await expect(verified(url, [url]), url).rejects.toThrow();
      await expect(verified(url, [signer.keySetUrl ?? ""]), url).rejects.toThrow();
    }
    expect([inside.connections(), good.connections()]).toEqual([0, 0]);
    const { keySetUrl = "" } = signer;
    expect(await verified(keySetUrl, [keySetUrl])).toMatchObject({ keyId: signer.keyId });
    expect(good.connections()).toBe(1);
  });

  it.each([301, 302, 303, 307, 308])(
    "for a redirect with %i of a card, a call or a webhook",
    async (status) => {
      answers = (_, response) => {
        response.writeHead(status, { location: `http://127.0.0.1:${inside.port}/` }).end();
      };
      const url = `http://good.test:${good.port}/`;
      await expect(A2AClient.connect(url, { policy })).rejects.toThrow();
      const agent = await startGuardedAgent(policy);
      const client = await agent.client("JSONRPC");
      const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "hi" }] };
      await client.send({ message, configuration: { taskPushNotificationConfig: { url } } });
      await expect.poll(() => agent.givenUp(), { timeout: 60_000 }).toBeGreaterThan(0);
      expect([inside.connections(), good.connections() > 1]).toEqual([0, true]);
    },
  );

  it("for a name that resolves differently the second time", async () => {
    const url = `http://rebinding.test:${inside.port}/`;
    const agent = await startGuardedAgent(policy);
    const client = await agent.client("JSONRPC");
    const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "hi" }] };
    // It leads to a public address while it is registered, and inside when it is delivered to.
    await client.send({ message, configuration: { taskPushNotificationConfig: { url } } });
    await expect.poll(() => agent.givenUp(), { timeout: 60_000 }).toBeGreaterThan(0);
    expect([inside.connections(), (rebinds.get("rebinding.test") ?? 0) > 2]).toEqual([0, true]);
    // Within one request the address is asked for once, and the connection goes there.
    await guardedFetch(`http://rebinding-once.test:${good.port}/`, {}, policy);
    expect([rebinds.get("rebinding-once.test"), good.connections()]).toEqual([2, 1]);
  });
});
