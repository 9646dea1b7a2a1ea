import { AgentCard as SdkCard } from "@a2a-js/sdk";
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from "@a2a-js/sdk/client";
import { isLegacyAgentCard, parseLegacyAgentCard } from "@a2a-js/sdk/compat/v0_3/client";
import { describe, expect, it } from "vitest";
import { agentCardSchema } from "./agent-card.ts";
import { agentCardJson, agentJson, describedCard } from "./published-cards.ts";
import { exampleAgent, plainAgent } from "./testing/example-agent.ts";

const document = agentCardJson(exampleAgent);

describe("the card at agent-card.json (+11, A2A-CARD-1, A2A-VERSION-3)", () => {
  it("is a complete v1.0 card with ordered members", () => {
    expect(agentCardSchema.parse(document)).toEqual(describedCard(exampleAgent));
    expect(agentCardSchema.parse(document).supportedInterfaces).toEqual([
      { url: "https://agent.example/", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url: "https://agent.example/a2a/rest", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
      { url: "https://agent.example:9001", protocolBinding: "GRPC", protocolVersion: "1.0" },
      { url: "https://agent.example/", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
      { url: "https://agent.example/a2a/rest", protocolBinding: "HTTP+JSON", protocolVersion: "0.3" },
    ]);
  });

  it("is parsed by the v1.0 SDK into the described agent (S1.28)", () => {
    const read = SdkCard.toJSON(SdkCard.fromJSON(document));
    const described = SdkCard.toJSON(SdkCard.fromJSON(describedCard(exampleAgent)));
    expect(read).toEqual(described);
    expect(read).toMatchObject({
      securitySchemes: exampleAgent.securitySchemes,
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
    });
  });

  it("is also a valid v0.3 card", () => {
    const legacy = parseLegacyAgentCard(document);
    expect(legacy.supportedInterfaces.map((it) => [it.url, it.protocolBinding])).toEqual([
      ["https://agent.example/", "JSONRPC"],
      ["https://agent.example/", "JSONRPC"],
      ["https://agent.example/a2a/rest", "HTTP+JSON"],
    ]);
    expect(legacy.capabilities).toMatchObject({ streaming: true, extendedAgentCard: true });
    expect(legacy.securityRequirements).toEqual([
      { schemes: { bearer: { list: [] } } },
      { schemes: { oauth: { list: ["plan"] }, key: { list: [] } } },
    ]);
    expect(legacy.skills[0]?.securityRequirements).toEqual([{ schemes: { oauth: { list: ["plan"] } } }]);
    const modern = SdkCard.fromJSON(document);
    expect(Object.keys(legacy.securitySchemes)).toEqual(Object.keys(modern.securitySchemes));
    for (const [name, scheme] of Object.entries(modern.securitySchemes)) {
      expect(legacy.securitySchemes[name]?.scheme, name).toMatchObject({ ...scheme.scheme });
    }
  });

  it("has the members that v0.3 requires, and its main URL among the others", () => {
    expect(document).toMatchObject({
      url: "https://agent.example/",
      preferredTransport: "JSONRPC",
      protocolVersion: "0.3.0",
      supportsAuthenticatedExtendedCard: true,
      additionalInterfaces: [
        { url: "https://agent.example/", transport: "JSONRPC" },
        { url: "https://agent.example/a2a/rest", transport: "HTTP+JSON" },
      ],
      security: [{ bearer: [] }, { oauth: ["plan"], key: [] }],
    });
  });

  it.each([true, false])("makes the SDK's client speak v1.0 (its legacyCompat: %s)", async (enabled) => {
    expect(isLegacyAgentCard(document)).toBe(false);
    const asked: unknown[] = [];
    const fetchImpl: typeof fetch = async (url, init) => {
      if (init?.method !== "POST") return Response.json(document);
      asked.push([String(url), JSON.parse(String(init.body)).method]);
      return Response.json({ jsonrpc: "2.0", id: 1, error: { code: -32001, message: "none" } });
    };
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat: { enabled } })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl, legacyCompat: { enabled } }),
    });
    const client = await factory.createFromUrl("https://agent.example");
    await expect(client.getTask({ id: "t", tenant: "" })).rejects.toThrow();
    expect(asked).toEqual([["https://agent.example/", "GetTask"]]);
  });

  it("has no v0.3 members when the agent does not speak v0.3", () => {
    const interfaces = [{ url: "https://a.example/", binding: "GRPC", dialects: ["1.0"] }] as const;
    const modern = agentCardJson({ ...plainAgent, interfaces });
    expect(modern).toEqual(describedCard({ ...plainAgent, interfaces }));
    expect(modern).not.toHaveProperty("url");
    expect(agentJson({ ...plainAgent, interfaces })).toBeUndefined();
  });

  it("hides details unknown to v0.3 from v0.3 clients, but not the scheme itself", () => {
    const deviceCode = {
      deviceAuthorizationUrl: "https://a.example/d",
      tokenUrl: "https://a.example/t",
      scopes: {},
    };
    const securitySchemes = { device: { oauth2SecurityScheme: { flows: { deviceCode } } } };
    expect(agentCardJson({ ...plainAgent, securitySchemes }).securitySchemes).toEqual({
      device: { type: "oauth2", flows: {}, ...securitySchemes.device },
    });
  });
});

describe("the card at agent.json (S1.2)", () => {
  it("is the v0.1 card", () => {
    expect(agentJson(plainAgent)).toEqual({
      name: "Echo",
      description: "Repeats",
      version: "1.0.0",
      url: "https://agent.example/a2a",
      capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
      defaultInputModes: ["text", "text/plain"],
      defaultOutputModes: ["text", "text/plain"],
      skills: [{ id: "echo", name: "Echo", description: "Repeats", tags: ["test"] }],
    });
  });

  it("names the authentication schemes as strings, and in the v0.2 format beside them", () => {
    expect(agentJson(exampleAgent)).toMatchObject({
      authentication: { schemes: ["Bearer", "apiKey", "oauth2"] },
      securitySchemes: { bearer: { type: "http", scheme: "Bearer", bearerFormat: "JWT" } },
      security: [{ bearer: [] }, { oauth: ["plan"], key: [] }],
    });
  });
});
