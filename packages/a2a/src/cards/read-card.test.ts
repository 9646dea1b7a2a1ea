import { describe, expect, it } from "vitest";
import { agentCardSchema } from "./agent-card.ts";
import { agentCardJson, agentJson, describedCard } from "./published-cards.ts";
import { readCard } from "./read-card.ts";
import { exampleAgent, plainAgent } from "./testing/example-agent.ts";

const source = "https://agent.example/.well-known/agent-card.json";

/** The minimal card before v1.0. */
const legacy = {
  name: "Old",
  description: "An old agent",
  url: "https://old.example/rpc",
  version: "1",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "a", name: "A", description: "Does a", tags: [] }],
};

function endpoints(document: unknown, from?: string): string[] {
  return readCard(document, from).endpoints.map(
    ({ dialect, binding, url }) => `${dialect} ${binding} ${url}`,
  );
}

function messages(document: unknown, from?: string): string[] {
  return readCard(document, from).findings.map((it) => `${it.severity} ${it.path}: ${it.message}`);
}

describe("reading a card (S1.2, +11)", () => {
  it("round-trips the cards that we publish, without findings (S1.28)", () => {
    const { card, findings } = readCard(agentCardJson(exampleAgent), source);
    expect(findings).toEqual([]);
    expect(card).toEqual(describedCard(exampleAgent));
    expect(endpoints(agentCardJson(exampleAgent), source)).toEqual([
      "1.0 JSONRPC https://agent.example/",
      "1.0 HTTP+JSON https://agent.example/a2a/rest",
      "1.0 GRPC https://agent.example:9001",
      "0.3 JSONRPC https://agent.example/",
      "0.3 HTTP+JSON https://agent.example/a2a/rest",
    ]);
  });

  it("reads a v0.3 card into the same model", () => {
    const { supportedInterfaces: _, ...rest } = agentCardJson(exampleAgent);
    const { card, findings } = readCard(withoutModernSecurity(rest), source);
    expect(findings).toEqual([]);
    expect({ ...card, supportedInterfaces: [] }).toEqual({
      ...describedCard(exampleAgent),
      supportedInterfaces: [],
    });
    expect(endpoints(rest)).toEqual([
      "0.3 JSONRPC https://agent.example/",
      "0.3 HTTP+JSON https://agent.example/a2a/rest",
    ]);
  });

  it("reads our v0.1 card, and prefers v0.1", () => {
    const { card, findings } = readCard(
      agentJson(exampleAgent),
      "https://agent.example/.well-known/agent.json",
    );
    expect(findings.filter((it) => it.severity === "error")).toEqual([]);
    expect(card).toMatchObject({
      name: "Route planner",
      securityRequirements: exampleAgent.securityRequirements,
    });
    expect(endpoints(agentJson(plainAgent))).toEqual([
      "0.1 JSONRPC https://agent.example/a2a",
      "0.3 JSONRPC https://agent.example/a2a",
    ]);
  });

  it.each([
    ["1.0", "1.0"],
    ["1.0.1", "1.0"],
    ["1.7", "1.0"],
    ["v1", "1.0"],
    ["0.3.0", "0.3"],
    ["0.2.6", "0.3"],
    ["0.1.0", "0.1"],
  ])("maps protocol version %s to v%s", (protocolVersion, dialect) => {
    expect(endpoints({ ...legacy, protocolVersion })).toEqual([`${dialect} JSONRPC https://old.example/rpc`]);
  });

  it("keeps the card's order of preference, as section 8.3.2 requires", () => {
    const supportedInterfaces = [
      { url: "https://a.example/", protocolBinding: "HTTP+JSON", protocolVersion: "0.3" },
      { url: "https://b.example/", protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "blue" },
    ];
    expect(readCard({ ...legacy, url: undefined, supportedInterfaces }).endpoints).toEqual([
      { url: "https://a.example/", binding: "HTTP+JSON", dialect: "0.3" },
      { url: "https://b.example/", binding: "JSONRPC", dialect: "1.0", tenant: "blue" },
    ]);
  });

  it.each([
    ["a plain one", {}, ["0.3", "0.1"]],
    ["one with v0.1's authentication", { authentication: { schemes: ["Bearer"] } }, ["0.1", "0.3"]],
    ["one with v0.1's modes", { defaultInputModes: ["text"] }, ["0.1", "0.3"]],
    ["one with v0.2's security", { securitySchemes: {} }, ["0.3"]],
    ["one with v0.3's transport", { preferredTransport: "JSONRPC" }, ["0.3"]],
  ])("tries the likelier dialect first if no version is given: %s", (_, more, dialects) => {
    expect(readCard({ ...legacy, ...more }).endpoints.map((it) => it.dialect)).toEqual(dialects);
  });

  it("reads v0.1's strings as alternative authentication schemes", () => {
    const { card } = readCard({
      ...legacy,
      authentication: { schemes: ["Bearer", "Basic"], credentials: null },
    });
    expect(card).toMatchObject({
      securitySchemes: {
        Bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } },
        Basic: { httpAuthSecurityScheme: { scheme: "Basic" } },
      },
      securityRequirements: [{ schemes: { Bearer: {} } }, { schemes: { Basic: {} } }],
    });
  });
});

describe("a card with mistakes", () => {
  it.each([undefined, null, 1, "card", [], [legacy]])("is not read at all if it is %j", (document) => {
    const { card, endpoints: found } = readCard(document);
    expect([card, found]).toEqual([undefined, []]);
    expect(messages(document)).toEqual(["error $: the card is not a JSON object"]);
  });

  it("is read even if it is empty, with a list of missing members", () => {
    const { card } = readCard({});
    expect(agentCardSchema.safeParse(card).success).toBe(true);
    expect(messages({})).toEqual([
      "error $: there is no way to speak to this agent that we know",
      "error $.name: it is required",
      "error $.description: it is required",
      "error $.version: it is required",
      "error $.capabilities: it is required",
      "error $.defaultInputModes: it is required",
      "error $.defaultOutputModes: it is required",
      "error $.skills: it is required",
    ]);
  });

  const versioned = { ...legacy, protocolVersion: "0.3.0" };
  it.each([
    [
      "null for what it leaves out",
      { provider: null, iconUrl: null, security: null, skills: [{ ...legacy.skills[0], examples: null }] },
      [],
    ],
    ["a number for a text", { version: 1.5 }, ["warning $.version: a text was expected, not 1.5"]],
    [
      "an object for a text",
      { description: {} },
      ["error $.description: it is not a text", "error $.description: it is required"],
    ],
    [
      "a text for a flag",
      { capabilities: { streaming: "true" } },
      ['warning $.capabilities.streaming: true or false was expected, not "true"'],
    ],
    [
      "a list for capabilities",
      { capabilities: ["streaming"] },
      ["error $.capabilities: it is not an object", "error $.capabilities: it is required"],
    ],
    [
      "one mode for a list",
      { defaultInputModes: "text/plain" },
      ["warning $.defaultInputModes: a list was expected"],
    ],
    [
      "skills that are words",
      { skills: ["dig"] },
      ["error $.skills[0]: a skill is an object with id, name, description and tags"],
    ],
    [
      "a skill without a name",
      { skills: [{ id: "a", description: "d", tags: [] }] },
      ["error $.skills[0].name: it is required"],
    ],
    [
      "a skill without tags",
      { skills: [{ id: "a", name: "A" }] },
      ["warning $.skills[0].description: it is missing", "warning $.skills[0].tags: it is missing"],
    ],
    [
      "names with underscores",
      { default_input_modes: ["text/plain"], defaultInputModes: undefined },
      ["warning $.default_input_modes: it is called defaultInputModes"],
    ],
    [
      "a scheme nobody knows",
      { securitySchemes: { a: { type: "magic" } } },
      ["warning $.securitySchemes.a: we do not know this kind of scheme"],
    ],
    [
      "a requirement that is none",
      { security: ["bearer"] },
      ["error $.security[0]: it is not a security requirement"],
    ],
    [
      "an extension that is none",
      { capabilities: { extensions: ["urn:x"] } },
      ["error $.capabilities.extensions[0]: it is not an extension"],
    ],
    [
      "a binding in small letters",
      { preferredTransport: "jsonrpc" },
      ['warning $: the binding "jsonrpc" is called JSONRPC'],
    ],
    [
      "a binding nobody knows",
      { additionalInterfaces: [{ url: "https://x.example", transport: "MCP" }] },
      ['warning $.additionalInterfaces[0]: we do not speak the binding "MCP"'],
    ],
    [
      "an address that is none",
      { additionalInterfaces: [{ url: "nowhere", transport: "GRPC" }] },
      ['error $.additionalInterfaces[0].url: "nowhere" is not an absolute http or https URL'],
    ],
    ["plain http", { url: "http://old.example/rpc" }, ["warning $.url: it is not https"]],
  ])("is read even if it has %s", (_, more, expected) => {
    const document = { ...versioned, ...more };
    expect(messages(document)).toEqual(expected);
    const { card, endpoints: found } = readCard(document);
    expect(agentCardSchema.parse(card)).toEqual(card);
    expect(found).toHaveLength(1);
  });

  it("is an error if it names no usable endpoint", () => {
    const supportedInterfaces = [
      { url: "https://a.example/", protocolBinding: "JSONRPC", protocolVersion: "7.0" },
    ];
    expect(messages({ ...legacy, url: undefined, supportedInterfaces })).toEqual([
      'warning $.supportedInterfaces[0]: we do not speak version "7.0"',
      "error $: there is no way to speak to this agent that we know",
    ]);
  });

  it("is called at the host it was found on if it names localhost", () => {
    for (const url of ["http://localhost:9999/rpc", "http://0.0.0.0:9999/rpc", "http://127.0.0.1:9999/rpc"]) {
      expect(endpoints({ ...versioned, url }, source)).toEqual(["0.3 JSONRPC http://agent.example:9999/rpc"]);
    }
    const near = "http://localhost:9999/.well-known/agent-card.json";
    expect(endpoints({ ...versioned, url: "http://0.0.0.0:9999/" }, near)).toEqual([
      "0.3 JSONRPC http://localhost:9999/",
    ]);
    expect(messages({ ...versioned, url: "http://127.0.0.1:9999/" }, near)).toEqual([]);
    expect(endpoints({ ...versioned, url: "http://localhost:9999/" })).toEqual([
      "0.3 JSONRPC http://localhost:9999/",
    ]);
  });

  it("keeps a gRPC target without a scheme, also on localhost", () => {
    const at = (url: string, where?: string) =>
      endpoints({ ...versioned, url, preferredTransport: "GRPC" }, where);
    expect(at("grpc.example:80", source)).toEqual(["0.3 GRPC grpc.example:80"]);
    expect(at("0.0.0.0:50051", source)).toEqual(["0.3 GRPC agent.example:50051"]);
    expect(at("localhost:50051", "http://localhost:9999/")).toEqual(["0.3 GRPC localhost:50051"]);
    expect(at("[::1]:50051")).toEqual(["0.3 GRPC [::1]:50051"]);
  });

  it("resolves a relative URL against its own", () => {
    expect(endpoints({ ...versioned, url: "/rpc" }, source)).toEqual([
      "0.3 JSONRPC https://agent.example/rpc",
    ]);
    expect(messages({ ...versioned, url: "/rpc" })).toContain(
      'error $.url: "/rpc" is not an absolute http or https URL',
    );
  });

  it("is unwrapped from an envelope", () => {
    expect(endpoints({ jsonrpc: "2.0", id: 1, result: versioned })).toEqual(endpoints(versioned));
    expect(messages({ jsonrpc: "2.0", id: 1, result: versioned })).toEqual([
      "warning $.result: the card is wrapped, and should be the document itself",
    ]);
  });

  it("keeps schemes with nulls from the Python SDK", () => {
    const bearer = { type: "http", scheme: "bearer", bearerFormat: null, description: null };
    expect(readCard({ ...versioned, securitySchemes: { bearer } }).card?.securitySchemes).toEqual({
      bearer: { httpAuthSecurityScheme: { scheme: "bearer" } },
    });
  });

  it("is read quickly however many mistakes it has, and reports the first ones", () => {
    const found = messages({ ...versioned, skills: Array.from({ length: 300_000 }, () => 0) });
    expect(found).toHaveLength(500);
    expect(found[0]).toBe("error $.skills[0]: it is not a skill");
  });

  it("cannot pollute the prototype", () => {
    const document = JSON.parse(
      JSON.stringify(versioned).replace("{", '{"securitySchemes":{"__proto__":{"type":"mutualTLS"}},'),
    );
    const { card } = readCard(document);
    expect(Object.getPrototypeOf(card?.securitySchemes)).toBe(Object.prototype);
  });
});

/** What a card is that only v0.3 was asked to write. */
function withoutModernSecurity(document: object): object {
  const text = JSON.stringify(document, (name, value: unknown) =>
    /SecurityScheme$|^securityRequirements$/.test(name) ? undefined : value,
  );
  return JSON.parse(text) as object;
}
