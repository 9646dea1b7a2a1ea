import type { AgentDescription } from "../published-cards.ts";

/** An agent with everything that a card can say. */
export const exampleAgent: AgentDescription = {
  name: "Route planner",
  description: "Plans routes",
  version: "1.2.0",
  provider: { organization: "Example", url: "https://example.com" },
  documentationUrl: "https://example.com/docs",
  iconUrl: "https://example.com/icon.png",
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extendedAgentCard: true,
    extensions: [{ uri: "urn:parley:ext:run:1", description: "Runs", required: false, params: { depth: 3 } }],
  },
  securitySchemes: {
    bearer: { httpAuthSecurityScheme: { scheme: "Bearer", bearerFormat: "JWT" } },
    key: { apiKeySecurityScheme: { location: "header", name: "X-Key", description: "Ask us" } },
    oauth: {
      oauth2SecurityScheme: {
        flows: {
          clientCredentials: { tokenUrl: "https://example.com/token", scopes: { plan: "Plan routes" } },
        },
      },
    },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: "https://example.com/.well-known/openid" } },
    tls: { mtlsSecurityScheme: { description: "Our certificates" } },
  },
  securityRequirements: [
    { schemes: { bearer: { list: [] } } },
    { schemes: { oauth: { list: ["plan"] }, key: { list: [] } } },
  ],
  defaultInputModes: ["text/plain", "application/json"],
  defaultOutputModes: ["text/plain"],
  skills: [
    {
      id: "route",
      name: "Route",
      description: "Finds a route",
      tags: ["maps"],
      examples: ["From A to B"],
      inputModes: ["text/plain"],
      securityRequirements: [{ schemes: { oauth: { list: ["plan"] } } }],
    },
    {
      id: "map",
      name: "Map",
      description: "Draws a map",
      tags: ["maps", "images"],
      outputModes: ["image/png"],
    },
  ],
  interfaces: [
    { url: "https://agent.example/", binding: "JSONRPC", dialects: ["1.0", "0.3", "0.1"] },
    { url: "https://agent.example/a2a/rest", binding: "HTTP+JSON", dialects: ["1.0", "0.3"] },
    { url: "https://agent.example:9001", binding: "GRPC", dialects: ["1.0"] },
  ],
};

/** The least that a card must say. */
export const plainAgent: AgentDescription = {
  name: "Echo",
  description: "Repeats",
  version: "1.0.0",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "echo", name: "Echo", description: "Repeats", tags: ["test"] }],
  interfaces: [{ url: "https://agent.example/a2a", binding: "JSONRPC", dialects: ["1.0", "0.3", "0.1"] }],
};
