import { type A2AClient, type AgentCard, RUN_EXTENSION } from "@parley/a2a";
import { type AgentStanding, findingText } from "@parley/registry";
import type { RegisteredAgent } from "../api/schemas/agent-schemas.ts";

type Schemes = NonNullable<RegisteredAgent["schemes"]>;
type Described =
  | "state"
  | "since"
  | "trouble"
  | "findings"
  | "description"
  | "skills"
  | "capabilities"
  | "schemes";

/** How an agent is doing and what it says of itself, as the API tells it. */
export function describedBy({
  state,
  since,
  card,
  trouble,
  findings,
}: AgentStanding): Pick<RegisteredAgent, Described> {
  return {
    ...{ state, since },
    ...(trouble !== undefined && { trouble }),
    ...(findings.length > 0 && { findings: findings.map(findingText) }),
    ...(card && {
      description: card.description,
      skills: card.skills.map(({ id, name, description, tags, examples }) => ({
        ...{ id, name, description, tags: [...tags] },
        ...(examples && { examples: [...examples] }),
      })),
      capabilities: { ...card.capabilities },
    }),
    ...(card?.securitySchemes && { schemes: schemesOf(card.securitySchemes) }),
  };
}

/** How the two of us speak, from what the agent offers and what we can. */
export function negotiatedWith(client: A2AClient): NonNullable<RegisteredAgent["negotiated"]> {
  const { endpoint, card, honoursIdempotencyKeys } = client;
  const { streaming, extensions = [] } = card.capabilities;
  return {
    ...{ binding: endpoint.binding, dialect: endpoint.dialect, url: endpoint.url },
    delivery: streaming ? "stream" : "poll",
    runExtension: extensions.some(({ uri }) => uri === RUN_EXTENSION),
    idempotencyKeys: honoursIdempotencyKeys,
  };
}

function schemesOf(schemes: NonNullable<AgentCard["securitySchemes"]>): Schemes {
  return Object.entries(schemes).map(([name, scheme]) => ({ name, kind: kindOf(scheme) }));
}

/** What a caller has to have for it. */
function kindOf(scheme: NonNullable<AgentCard["securitySchemes"]>[string]): Schemes[number]["kind"] {
  if ("apiKeySecurityScheme" in scheme) return "apiKey";
  if ("mtlsSecurityScheme" in scheme) return "other";
  if (!("httpAuthSecurityScheme" in scheme)) return "bearer";
  return scheme.httpAuthSecurityScheme.scheme.toLowerCase() === "basic" ? "basic" : "bearer";
}
