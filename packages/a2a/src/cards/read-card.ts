import {
  type AgentCapabilities,
  type AgentCard,
  type AgentInterface,
  agentExtensionSchema,
  cardSignatureSchema,
} from "./agent-card.ts";
import { type AgentEndpoint, type DeclaredInterface, endpointOf, readInterfaces } from "./card-endpoints.ts";
import {
  type CardFinding,
  CardFindings,
  isJsonObject,
  type JsonObject,
  withoutNulls,
} from "./card-findings.ts";
import { definedMembers } from "./defined-members.ts";
import { readLegacyInterfaces } from "./legacy-endpoints.ts";
import { readRequirements, readSchemes } from "./read-security.ts";
import { readSkills } from "./read-skills.ts";

/** What a card says, how to speak to its agent, and what is wrong with it. */
export interface CardReading {
  /** Missing only when the document is not an object at all. */
  readonly card: AgentCard | undefined;
  /** The ways that we can use, best first: the card's own order, which section 8.3.2 makes binding. */
  readonly endpoints: readonly AgentEndpoint[];
  readonly findings: readonly CardFinding[];
}

/** Reads a card of any version, tolerantly; `source` is the address it came from. */
export function readCard(document: unknown, source?: string): CardReading {
  const findings = new CardFindings();
  const card = unwrap(document, findings);
  if (card === undefined) {
    findings.error("$", "the card is not a JSON object");
    return { card: undefined, endpoints: [], findings: findings.list };
  }
  const modern = readInterfaces(card, findings);
  const legacy = readLegacyInterfaces(card, findings, source);
  const endpoints = usable([...modern, ...legacy], { source, findings });
  if (endpoints.length === 0) findings.error("$", "there is no way to speak to this agent that we know");
  const isFirst = modern.length === 0 && endpoints[0]?.dialect === "0.1";
  const supportedInterfaces = (modern.length > 0 ? modern : legacy).map(({ declared }) => declared);
  return {
    card: readMembers(card, { supportedInterfaces, isFirst, findings }),
    endpoints,
    findings: findings.list,
  };
}

/** Some agents answer with an envelope around the card. */
function unwrap(document: unknown, findings: CardFindings): JsonObject | undefined {
  if (!isJsonObject(document)) return undefined;
  for (const name of ["result", "agentCard", "card"]) {
    const inner = document[name];
    if (document.name !== undefined || !isJsonObject(inner)) continue;
    findings.warning(`$.${name}`, "the card is wrapped, and should be the document itself");
    return inner;
  }
  return document;
}

function usable(
  declared: readonly DeclaredInterface[],
  at: { readonly source: string | undefined; readonly findings: CardFindings },
): AgentEndpoint[] {
  const found = new Map<string, AgentEndpoint>();
  for (const it of declared) {
    const endpoint = endpointOf(it, at);
    if (endpoint === undefined) continue;
    const key = JSON.stringify([endpoint.url, endpoint.binding, endpoint.dialect]);
    if (!found.has(key)) found.set(key, endpoint);
  }
  return [...found.values()];
}

interface ReadContext {
  readonly supportedInterfaces: AgentInterface[];
  readonly isFirst: boolean;
  readonly findings: CardFindings;
}

function readMembers(card: JsonObject, { supportedInterfaces, isFirst, findings }: ReadContext): AgentCard {
  const modes = (name: string): string[] => {
    const found = findings.texts(card, name, "$");
    if (found === undefined && !isFirst) findings.error(`$.${name}`, "it is required");
    return found ?? ["text/plain"];
  };
  const optional = {
    provider: readProvider(card, findings),
    documentationUrl: findings.text(card, "documentationUrl", "$"),
    iconUrl: findings.text(card, "iconUrl", "$"),
    securitySchemes: readSchemes(card, findings),
    securityRequirements: readRequirements(card, findings, "$"),
    signatures: findings
      .items(card, "signatures", "$")
      ?.flatMap((it) => cardSignatureSchema.safeParse(it).data ?? []),
  };
  return {
    name: findings.requiredText(card, "name", "$"),
    description: isFirst
      ? (findings.text(card, "description", "$") ?? "")
      : findings.requiredText(card, "description", "$"),
    supportedInterfaces,
    version: findings.requiredText(card, "version", "$"),
    capabilities: readCapabilities(card, findings),
    defaultInputModes: modes("defaultInputModes"),
    defaultOutputModes: modes("defaultOutputModes"),
    skills: readSkills(card, findings),
    ...definedMembers(optional),
  };
}

function readProvider(card: JsonObject, findings: CardFindings): AgentCard["provider"] {
  const provider = findings.object(card, "provider", "$");
  if (provider === undefined) return undefined;
  return {
    organization: findings.requiredText(provider, "organization", "$.provider"),
    url: findings.text(provider, "url", "$.provider") ?? "",
  };
}

function readCapabilities(card: JsonObject, findings: CardFindings): AgentCapabilities {
  const path = "$.capabilities";
  const declared = findings.object(card, "capabilities", "$");
  if (declared === undefined) findings.error(path, "it is required");
  const capabilities = declared ?? {};
  const extensions = findings.items(capabilities, "extensions", path)?.flatMap((item, index) => {
    const known = isJsonObject(item) ? withoutNulls(item) : item;
    const found = agentExtensionSchema.safeParse(known).data;
    if (found === undefined) findings.error(`${path}.extensions[${index}]`, "it is not an extension");
    return found ?? [];
  });
  return definedMembers({
    streaming: findings.flag(capabilities, "streaming", path),
    pushNotifications: findings.flag(capabilities, "pushNotifications", path),
    extendedAgentCard:
      findings.flag(capabilities, "extendedAgentCard", path) ??
      findings.flag(card, "supportsAuthenticatedExtendedCard", "$"),
    extensions,
  });
}
