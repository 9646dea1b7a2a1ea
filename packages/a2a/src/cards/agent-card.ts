import { z } from "zod";
import type { Json } from "../protocol/model.ts";

const text = z.string();
const optionalText = text.exactOptional();
const texts = z.array(text);
const scopes = z.record(text, text);
const json: z.ZodType<Json> = z.json();
const struct = z.record(text, json);

function flow<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object({ ...shape, refreshUrl: optionalText }).exactOptional();
}

/** OAuth 2.0 flows; v1.0 has one of them, v0.3 could have several, so all that are there are kept. */
const oauthFlows = z.object({
  authorizationCode: flow({
    authorizationUrl: text,
    tokenUrl: text,
    scopes,
    pkceRequired: z.boolean().exactOptional(),
  }),
  clientCredentials: flow({ tokenUrl: text, scopes }),
  implicit: flow({ authorizationUrl: optionalText, scopes: scopes.exactOptional() }),
  password: flow({ tokenUrl: optionalText, scopes: scopes.exactOptional() }),
  deviceCode: flow({ deviceAuthorizationUrl: text, tokenUrl: text, scopes }),
});

/** A security scheme: the present member determines its kind. */
export const securitySchemeSchema = z.union([
  z.object({
    apiKeySecurityScheme: z.object({
      description: optionalText,
      location: z.enum(["query", "header", "cookie"]),
      name: text,
    }),
  }),
  z.object({
    httpAuthSecurityScheme: z.object({
      description: optionalText,
      scheme: text,
      bearerFormat: optionalText,
    }),
  }),
  z.object({
    oauth2SecurityScheme: z.object({
      description: optionalText,
      flows: oauthFlows,
      oauth2MetadataUrl: optionalText,
    }),
  }),
  z.object({ openIdConnectSecurityScheme: z.object({ description: optionalText, openIdConnectUrl: text }) }),
  z.object({ mtlsSecurityScheme: z.object({ description: optionalText }) }),
]);

/** All the named schemes together, each with its scopes, satisfy one requirement. */
export const securityRequirementSchema = z.object({
  schemes: z.record(text, z.object({ list: texts.exactOptional() })),
});

export type SecurityScheme = z.infer<typeof securitySchemeSchema>;
export type SecurityRequirement = z.infer<typeof securityRequirementSchema>;
export type OAuthFlows = z.infer<typeof oauthFlows>;

/** The bindings that the specification names; an agent may have others, which we cannot speak. */
export const protocolBindings = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;
export type ProtocolBinding = (typeof protocolBindings)[number];

/** One way to speak to the agent: where, over what, and in which version of the protocol. */
export const agentInterfaceSchema = z.object({
  url: text,
  protocolBinding: text,
  protocolVersion: text,
  tenant: optionalText,
});

export const agentExtensionSchema = z.object({
  uri: text,
  description: optionalText,
  required: z.boolean().exactOptional(),
  params: struct.exactOptional(),
});

export const agentSkillSchema = z.object({
  id: text,
  name: text,
  description: text,
  tags: texts,
  examples: texts.exactOptional(),
  inputModes: texts.exactOptional(),
  outputModes: texts.exactOptional(),
  securityRequirements: z.array(securityRequirementSchema).exactOptional(),
});

/** A detached JWS over the card, RFC 7515 in its flattened form. */
export const cardSignatureSchema = z.object({
  protected: text,
  signature: text,
  header: struct.exactOptional(),
});

export const agentCapabilitiesSchema = z.object({
  streaming: z.boolean().exactOptional(),
  pushNotifications: z.boolean().exactOptional(),
  extendedAgentCard: z.boolean().exactOptional(),
  extensions: z.array(agentExtensionSchema).exactOptional(),
});

/** The card of v1.0, which every other card is read into; unknown members are dropped. */
export const agentCardSchema = z.object({
  name: text,
  description: text,
  supportedInterfaces: z.array(agentInterfaceSchema),
  provider: z.object({ organization: text, url: text }).exactOptional(),
  version: text,
  documentationUrl: optionalText,
  capabilities: agentCapabilitiesSchema,
  securitySchemes: z.record(text, securitySchemeSchema).exactOptional(),
  securityRequirements: z.array(securityRequirementSchema).exactOptional(),
  defaultInputModes: texts,
  defaultOutputModes: texts,
  skills: z.array(agentSkillSchema),
  signatures: z.array(cardSignatureSchema).exactOptional(),
  iconUrl: optionalText,
});

export type AgentInterface = z.infer<typeof agentInterfaceSchema>;
export type AgentSkill = z.infer<typeof agentSkillSchema>;
export type AgentCapabilities = z.infer<typeof agentCapabilitiesSchema>;
export type AgentExtension = z.infer<typeof agentExtensionSchema>;
export type CardSignature = z.infer<typeof cardSignatureSchema>;
export type AgentCard = z.infer<typeof agentCardSchema>;
