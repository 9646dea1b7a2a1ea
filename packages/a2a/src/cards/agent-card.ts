import { z } from "zod";
import type { Json } from "../protocol/model.ts";
import { securityRequirementSchema, securitySchemeSchema } from "./card-security.ts";

/** The bindings that the specification names; an agent may have others, which we cannot speak. */
export const protocolBindings = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;
export type ProtocolBinding = (typeof protocolBindings)[number];

const json: z.ZodType<Json> = z.json();
const struct = z.record(z.string(), json);

/** One way to speak to the agent: where, over what, and in which version of the protocol. */
export const agentInterfaceSchema = z.object({
  url: z.string(),
  protocolBinding: z.string(),
  protocolVersion: z.string(),
  tenant: z.string().exactOptional(),
});

export const agentExtensionSchema = z.object({
  uri: z.string(),
  description: z.string().exactOptional(),
  required: z.boolean().exactOptional(),
  params: struct.exactOptional(),
});

export const agentSkillSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  examples: z.array(z.string()).exactOptional(),
  inputModes: z.array(z.string()).exactOptional(),
  outputModes: z.array(z.string()).exactOptional(),
  securityRequirements: z.array(securityRequirementSchema).exactOptional(),
});

/** A detached JWS over the card, RFC 7515 in its flattened form. */
export const cardSignatureSchema = z.object({
  protected: z.string(),
  signature: z.string(),
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
  name: z.string(),
  description: z.string(),
  supportedInterfaces: z.array(agentInterfaceSchema),
  provider: z.object({ organization: z.string(), url: z.string() }).exactOptional(),
  version: z.string(),
  documentationUrl: z.string().exactOptional(),
  capabilities: agentCapabilitiesSchema,
  securitySchemes: z.record(z.string(), securitySchemeSchema).exactOptional(),
  securityRequirements: z.array(securityRequirementSchema).exactOptional(),
  defaultInputModes: z.array(z.string()),
  defaultOutputModes: z.array(z.string()),
  skills: z.array(agentSkillSchema),
  signatures: z.array(cardSignatureSchema).exactOptional(),
  iconUrl: z.string().exactOptional(),
});

export type AgentInterface = z.infer<typeof agentInterfaceSchema>;
export type AgentSkill = z.infer<typeof agentSkillSchema>;
export type AgentCapabilities = z.infer<typeof agentCapabilitiesSchema>;
export type AgentExtension = z.infer<typeof agentExtensionSchema>;
export type CardSignature = z.infer<typeof cardSignatureSchema>;
export type AgentCard = z.infer<typeof agentCardSchema>;
