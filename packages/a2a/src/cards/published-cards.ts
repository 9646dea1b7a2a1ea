import type { DialectVersion } from "../dialects/dialect.ts";
import type { Json } from "../protocol/model.ts";
import type {
  AgentCard,
  AgentSkill,
  OAuthFlows,
  ProtocolBinding,
  SecurityRequirement,
  SecurityScheme,
} from "./agent-card.ts";
import type { CardDocument } from "./canonical-card.ts";

/** One address of the agent and the dialects that it answers there. */
export interface PublishedInterface {
  readonly url: string;
  readonly binding: ProtocolBinding;
  readonly dialects: readonly DialectVersion[];
  readonly tenant?: string;
}

/** All there is to say about an agent; both published documents are made from it. */
export interface AgentDescription extends Omit<AgentCard, "supportedInterfaces" | "signatures"> {
  /** The preferred one first. */
  readonly interfaces: readonly PublishedInterface[];
}

/** The card in its canonical form: v1.0 interfaces first, then the same addresses for v0.3. */
export function describedCard({ interfaces, ...described }: AgentDescription): AgentCard {
  const supportedInterfaces = (["1.0", "0.3"] as const).flatMap((dialect) =>
    speaking(interfaces, dialect).map(({ url, binding, tenant }) => ({
      url,
      protocolBinding: binding,
      protocolVersion: dialect,
      ...(tenant === undefined ? {} : { tenant }),
    })),
  );
  return { ...described, supportedInterfaces };
}

/** The document at `/.well-known/agent-card.json`: a v1.0 card that v0.3 clients can read as well. */
export function agentCardJson(description: AgentDescription): CardDocument {
  const card = describedCard(description);
  const legacy = speaking(description.interfaces, "0.3");
  // Most v0.3 clients speak JSON-RPC alone, so that is what the main address should be.
  const main = legacy.find(({ binding }) => binding === "JSONRPC") ?? legacy[0];
  if (main === undefined) return card;
  return {
    ...card,
    url: main.url,
    preferredTransport: main.binding,
    protocolVersion: "0.3.0",
    additionalInterfaces: legacy.map(({ url, binding }) => ({ url, transport: binding })),
    supportsAuthenticatedExtendedCard: card.capabilities.extendedAgentCard ?? false,
    skills: card.skills.map(skillForBoth),
    ...securityForBoth(card),
  };
}

function skillForBoth(skill: AgentSkill): CardDocument {
  if (skill.securityRequirements === undefined) return skill;
  return { ...skill, security: skill.securityRequirements.map(legacyRequirement) };
}

/** In one scheme v0.3's `type` with its members and v1.0's one member stand side by side without touching. */
function securityForBoth({ securitySchemes, securityRequirements }: AgentCard): CardDocument {
  const members: Record<string, Json> = {};
  if (securityRequirements !== undefined) members.security = securityRequirements.map(legacyRequirement);
  if (securitySchemes !== undefined) {
    members.securitySchemes = Object.fromEntries(
      Object.entries(securitySchemes).map(([name, scheme]) => [name, { ...legacyScheme(scheme), ...scheme }]),
    );
  }
  return members;
}

/** The document at `/.well-known/agent.json`: the v0.1 card, with what a v0.2 client looks for in the same place. */
export function agentJson(description: AgentDescription): CardDocument | undefined {
  const main = speaking(description.interfaces, "0.1").find(({ binding }) => binding === "JSONRPC");
  if (main === undefined) return undefined;
  const { interfaces: _, capabilities, securitySchemes, securityRequirements, ...rest } = description;
  const required = new Set((securityRequirements ?? []).flatMap(({ schemes }) => Object.keys(schemes)));
  const schemes = Object.entries(securitySchemes ?? {});
  const words = schemes.filter(([name]) => required.has(name)).map(([, scheme]) => firstWord(scheme));
  return {
    ...rest,
    url: main.url,
    capabilities: {
      streaming: capabilities.streaming ?? false,
      pushNotifications: capabilities.pushNotifications ?? false,
      stateTransitionHistory: false,
    },
    ...(words.length === 0 ? {} : { authentication: { schemes: [...new Set(words)] } }),
    ...(schemes.length > 0 && {
      securitySchemes: Object.fromEntries(schemes.map(([name, scheme]) => [name, legacyScheme(scheme)])),
    }),
    ...(securityRequirements === undefined ? {} : { security: securityRequirements.map(legacyRequirement) }),
    defaultInputModes: firstModes(rest.defaultInputModes),
    defaultOutputModes: firstModes(rest.defaultOutputModes),
    skills: rest.skills.map(firstSkill),
  };
}

function firstSkill({ securityRequirements: _, ...skill }: AgentSkill): CardDocument {
  return {
    ...skill,
    ...(skill.inputModes === undefined ? {} : { inputModes: firstModes(skill.inputModes) }),
    ...(skill.outputModes === undefined ? {} : { outputModes: firstModes(skill.outputModes) }),
  };
}

/** v0.1 clients look for the word `text`, later ones for the media type. */
function firstModes(modes: readonly string[]): readonly string[] {
  return modes.includes("text/plain") ? ["text", ...modes] : modes;
}

function speaking(interfaces: readonly PublishedInterface[], dialect: DialectVersion): PublishedInterface[] {
  return interfaces.filter(({ dialects }) => dialects.includes(dialect));
}

/** A scheme as v0.3 and OpenAPI 3 write it, with a `type` beside its members. */
function legacyScheme(scheme: SecurityScheme): CardDocument {
  if ("apiKeySecurityScheme" in scheme) {
    const { location, ...rest } = scheme.apiKeySecurityScheme;
    return { type: "apiKey", in: location, ...rest };
  }
  if ("httpAuthSecurityScheme" in scheme) return { type: "http", ...scheme.httpAuthSecurityScheme };
  if ("oauth2SecurityScheme" in scheme) {
    const { flows, ...rest } = scheme.oauth2SecurityScheme;
    return { type: "oauth2", ...rest, flows: legacyFlows(flows) };
  }
  if ("openIdConnectSecurityScheme" in scheme) {
    return { type: "openIdConnect", ...scheme.openIdConnectSecurityScheme };
  }
  return { type: "mutualTLS", ...scheme.mtlsSecurityScheme };
}

/** The device flow is new in v1.0: v0.3 clients see the scheme without it. */
function legacyFlows({ deviceCode: _, ...flows }: OAuthFlows): CardDocument {
  const { authorizationCode } = flows;
  if (authorizationCode === undefined) return flows;
  const { pkceRequired: __, ...known } = authorizationCode;
  return { ...flows, authorizationCode: known };
}

/** A requirement as v0.3 and OpenAPI 3 write it: the scopes straight under the scheme's name. */
function legacyRequirement(requirement: SecurityRequirement): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(requirement.schemes).map(([name, { list }]) => [name, list ?? []] as const),
  );
}

/** What v0.1 calls a scheme: a word, like `Bearer`. */
function firstWord(scheme: SecurityScheme): string {
  if ("httpAuthSecurityScheme" in scheme) return scheme.httpAuthSecurityScheme.scheme;
  return String(legacyScheme(scheme).type);
}
