import type { AgentOperations } from "../agent-operations.ts";

const CONFIG = {
  id: "c",
  taskId: "t",
  url: "https://a.example",
  authentication: { scheme: "Bearer", credentials: "x" },
};

const CARD = {
  name: "Extended",
  description: "For tests",
  version: "1",
  supportedInterfaces: [
    { url: "https://a.example/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: "https://a.example/rpc", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
    { url: "https://a.example/rest", protocolBinding: "HTTP+JSON", protocolVersion: "0.3" },
  ],
  capabilities: { streaming: true, extendedAgentCard: true },
  securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } } },
  securityRequirements: [{ schemes: { key: { list: ["read"] } } }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "s", name: "S", description: "skill", tags: ["t"] }],
};

/** For tests: the operations of an agent that has one webhook and an extended card, and writes down what it is asked. */
export function notingOperations(operations: AgentOperations, asked: unknown[]): AgentOperations {
  const note = async <T>(request: unknown, answer: T): Promise<T> => {
    asked.push(request);
    return answer;
  };
  const unary = {
    ...operations.unary,
    createPush: (request: unknown) => note(request, CONFIG),
    getPush: (request: unknown) => note(request, CONFIG),
    listPush: (request: unknown) => note(request, { configs: [CONFIG], nextPageToken: "" }),
    deletePush: (request: unknown) => note(request, undefined),
    extendedCard: (request: unknown) => note(request, CARD),
  };
  return { ...operations, unary };
}
