import { isObject } from "../protocol/model.ts";
import {
  type AgentCapabilities,
  type AgentCard,
  type AgentInterface,
  type AgentSkill,
  agentExtensionSchema,
  cardSignatureSchema,
} from "./agent-card.ts";
import { type AgentEndpoint, type DeclaredInterface, endpointOf, readInterfaces } from "./card-endpoints.ts";
import {
  type CardFinding,
  CardFindings,
  definedMembers,
  type JsonObject,
  withoutNulls,
} from "./card-findings.ts";
import { readRequirements, readSchemes } from "./read-security.ts";

/** A parsed card, how to call its agent, and its findings. */
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
  if (!isObject(document)) return undefined;
  for (const name of ["result", "agentCard", "card"]) {
    const inner = document[name];
    if (document.name !== undefined || !isObject(inner)) continue;
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
    const known = isObject(item) ? withoutNulls(item) : item;
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

/** The skills of any version of the card; a skill that is only a word is given the rest. */
function readSkills(card: JsonObject, findings: CardFindings): AgentSkill[] {
  const skills = findings.items(card, "skills", "$");
  if (skills === undefined) findings.error("$.skills", "it is required");
  return (skills ?? []).flatMap((skill, index) => {
    const path = `$.skills[${index}]`;
    if (isObject(skill)) return readSkill(skill, findings, path);
    if (typeof skill === "string" && skill !== "") {
      findings.error(path, "a skill is an object with id, name, description and tags");
      return { id: skill, name: skill, description: "", tags: [] };
    }
    findings.error(path, "it is not a skill");
    return [];
  });
}

function readSkill(skill: JsonObject, findings: CardFindings, path: string): AgentSkill {
  const id = findings.text(skill, "id", path);
  const name = findings.text(skill, "name", path);
  if (id === undefined) findings.error(`${path}.id`, "it is required");
  if (name === undefined) findings.error(`${path}.name`, "it is required");
  const description = findings.text(skill, "description", path);
  if (description === undefined) findings.warning(`${path}.description`, "it is missing");
  const tags = findings.texts(skill, "tags", path);
  if (tags === undefined) findings.warning(`${path}.tags`, "it is missing");
  return {
    id: id ?? name ?? path,
    name: name ?? id ?? path,
    description: description ?? "",
    tags: tags ?? [],
    ...definedMembers({
      examples: findings.texts(skill, "examples", path),
      inputModes: findings.texts(skill, "inputModes", path),
      outputModes: findings.texts(skill, "outputModes", path),
      securityRequirements: readRequirements(skill, findings, path),
    }),
  };
}

/** The address and the additional interfaces of a card before v1.0, as v1.0 writes them. */
function readLegacyInterfaces(
  card: JsonObject,
  findings: CardFindings,
  source: string | undefined,
): DeclaredInterface[] {
  const url = findings.text(card, "url", "$");
  if (url === undefined) return [];
  const protocolBinding = findings.text(card, "preferredTransport", "$") ?? "JSONRPC";
  const found = [{ url, protocolBinding, path: "$" }, ...readAdditional(card, findings)];
  return protocolVersions(card, findings, source).flatMap((protocolVersion) =>
    found.map(({ path, ...it }) => ({ declared: { ...it, protocolVersion }, path })),
  );
}

function readAdditional(card: JsonObject, findings: CardFindings) {
  return (findings.items(card, "additionalInterfaces", "$") ?? []).flatMap((item, index) => {
    const path = `$.additionalInterfaces[${index}]`;
    if (!isObject(item)) {
      findings.error(path, "it is not an object");
      return [];
    }
    const protocolBinding = findings.requiredText(item, "transport", path);
    return { url: findings.requiredText(item, "url", path), protocolBinding, path };
  });
}

/** The version the card names, or the ones that it may be in, the likelier first. */
function protocolVersions(card: JsonObject, findings: CardFindings, source: string | undefined): string[] {
  const named = findings.text(card, "protocolVersion", "$");
  if (named !== undefined && named !== "") return [named];
  const modern = ["preferredTransport", "additionalInterfaces", "securitySchemes", "security", "signatures"];
  const isModern = modern.some((name) => card[name] !== undefined && card[name] !== null);
  const versions = isModern && !isFirst(card) ? ["0.3"] : isFirst(card) ? ["0.1", "0.3"] : ["0.3", "0.1"];
  // Cards before v0.2.6 name no version, so at the old address this is only a warning.
  const message = `it names no version of the protocol; v${versions.join(", then v")} will be tried`;
  if (source?.endsWith("/agent.json")) findings.warning("$.protocolVersion", message);
  else findings.error("$.protocolVersion", message);
  return versions;
}

/** v0.1 has `authentication`, and its modes are words like `text` rather than media types. */
function isFirst(card: JsonObject): boolean {
  const modes = [card.defaultInputModes, card.defaultOutputModes].flatMap((it) =>
    Array.isArray(it) ? it : [],
  );
  return (
    isObject(card.authentication) || modes.some((mode) => typeof mode === "string" && !mode.includes("/"))
  );
}
