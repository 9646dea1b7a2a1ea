import { AgentCard as SdkAgentCard } from "@a2a-js/sdk";
import type { Json } from "../../protocol/model.ts";
import type { ProtoCard } from "./proto-types.ts";

/** A card as a message of package a2a.v1: what v1.0 moved is put back to where it was. */
export function protoCard(json: Json): ProtoCard {
  const card = SdkAgentCard.fromJSON(json);
  const { capabilities, supportedInterfaces } = card;
  const interfaces = supportedInterfaces.filter(({ protocolVersion }) => protocolVersion.startsWith("0.3"));
  const main = interfaces.find(({ protocolBinding }) => protocolBinding === "JSONRPC") ?? interfaces[0];
  return {
    protocolVersion: "0.3.0",
    name: card.name,
    description: card.description,
    url: main?.url ?? "",
    preferredTransport: main?.protocolBinding ?? "",
    additionalInterfaces: interfaces.map(({ url, protocolBinding }) => ({ url, transport: protocolBinding })),
    provider: card.provider,
    version: card.version,
    documentationUrl: card.documentationUrl ?? "",
    capabilities: {
      streaming: capabilities?.streaming ?? false,
      pushNotifications: capabilities?.pushNotifications ?? false,
      extensions: capabilities?.extensions ?? [],
    },
    // A flow that only v1.0 knows is written as none.
    securitySchemes: card.securitySchemes as ProtoCard["securitySchemes"],
    security: card.securityRequirements,
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: card.skills.map((skill) => ({ ...skill, security: skill.securityRequirements })),
    supportsAuthenticatedExtendedCard: capabilities?.extendedAgentCard ?? false,
    signatures: card.signatures,
  };
}
