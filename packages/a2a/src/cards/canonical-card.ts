import { isObject, type Json } from "../protocol/model.ts";
import { canonicalJson } from "./canonical-json.ts";

/** A card as JSON, with whatever members it is served with. */
export type CardDocument = { readonly [name: string]: Json };

/**
 * What a signature is computed over.
 * - `specification`: v1.0 section 8.4.1, the members of the v1.0 card with its rules for default values.
 * - `whole-document`: every member as it is served, those of older versions too.
 * - `official-sdks`: what the JavaScript and Python SDKs compute, which lose empty members that the specification
 *   keeps (a2a-js issue 627); a signature over it does not show that an empty list or text was added or removed.
 */
export type CanonicalForm = "specification" | "whole-document" | "official-sdks";

/** The members of a card document that a form covers, without `signatures`. */
export function coveredMembers(document: CardDocument, form: CanonicalForm): CardDocument {
  const { signatures: _, ...rest } = document;
  switch (form) {
    case "whole-document":
      return rest;
    case "specification":
      return presentMembers(rest, "AgentCard");
    case "official-sdks":
      // Refuses what is too deep before anything walks down there.
      canonicalJson(rest);
      return membersWithoutEmpty(presentMembers(rest, "AgentCard")) ?? {};
  }
}

/** The text that is signed. */
export function canonicalCard(document: CardDocument, form: CanonicalForm = "specification"): string {
  return canonicalJson(coveredMembers(document, form));
}

/** Null is ProtoJSON's way to leave a member out; one that is missing is not invented, REQUIRED or not. */
function presentMembers(value: CardDocument, messageName: string): CardDocument {
  const result: Record<string, Json> = {};
  for (const [name, field] of Object.entries(cardMessages[messageName] ?? {})) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (member === undefined || member === null) continue;
    if (field.presence === "dropped" && isDefault(member)) continue;
    result[name] = presentMember(member, field);
  }
  return result;
}

function presentMember(member: Json, { message, shape }: { message?: string; shape?: string }): Json {
  if (message === undefined) return member;
  const inner = (item: Json): Json => (isObject(item) ? presentMembers(item, message) : item);
  if (shape === undefined) return inner(member);
  if (shape === "list") return isList(member) ? member.map(inner) : member;
  if (!isObject(member)) return member;
  return Object.fromEntries(Object.entries(member).map(([key, item]) => [key, inner(item)]));
}

function isDefault(value: Json): boolean {
  if (isList(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === "" || value === false || value === 0;
}

function withoutEmpty(value: Json): Json | undefined {
  if (value === null || value === "") return undefined;
  if (isList(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  return isObject(value) ? membersWithoutEmpty(value) : value;
}

function membersWithoutEmpty(value: CardDocument): CardDocument | undefined {
  const members = Object.entries(value)
    .map(([name, item]) => [name, withoutEmpty(item)] as const)
    .filter((member): member is readonly [string, Json] => member[1] !== undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/**
 * What the specification's section 8.4.1 says of a field at its default value: `kept` when it is marked REQUIRED or
 * `optional` or is a message (present is present), `dropped` when the protocol cannot tell it from a missing one.
 */
type Presence = "kept" | "dropped";

interface Field {
  readonly presence: Presence;
  /** The message that this field, each of its items or each of its values holds. */
  readonly message?: string;
  readonly shape?: "list" | "map";
}

type Message = Readonly<Record<string, Field>>;

const kept: Field = { presence: "kept" };
const dropped: Field = { presence: "dropped" };

function one(message: string): Field {
  return { presence: "kept", message };
}

function list(presence: Presence, message: string): Field {
  return { presence, message, shape: "list" };
}

function map(message: string): Field {
  return { presence: "dropped", message, shape: "map" };
}

/** The card's messages in `a2a.proto` of v1.0; `signatures` is not there, because nothing signs itself. */
export const cardMessages: Readonly<Record<string, Message>> = {
  AgentCard: {
    name: kept,
    description: kept,
    supportedInterfaces: list("kept", "AgentInterface"),
    provider: one("AgentProvider"),
    version: kept,
    documentationUrl: kept,
    capabilities: one("AgentCapabilities"),
    securitySchemes: map("SecurityScheme"),
    securityRequirements: list("dropped", "SecurityRequirement"),
    defaultInputModes: kept,
    defaultOutputModes: kept,
    skills: list("kept", "AgentSkill"),
    iconUrl: kept,
  },
  AgentInterface: { url: kept, protocolBinding: kept, tenant: dropped, protocolVersion: kept },
  AgentProvider: { url: kept, organization: kept },
  AgentCapabilities: {
    streaming: kept,
    pushNotifications: kept,
    extensions: list("dropped", "AgentExtension"),
    extendedAgentCard: kept,
  },
  AgentExtension: { uri: dropped, description: dropped, required: dropped, params: kept },
  AgentSkill: {
    id: kept,
    name: kept,
    description: kept,
    tags: kept,
    examples: dropped,
    inputModes: dropped,
    outputModes: dropped,
    securityRequirements: list("dropped", "SecurityRequirement"),
  },
  SecurityRequirement: { schemes: map("StringList") },
  StringList: { list: dropped },
  SecurityScheme: {
    apiKeySecurityScheme: one("ApiKeyScheme"),
    httpAuthSecurityScheme: one("HttpAuthScheme"),
    oauth2SecurityScheme: one("OAuth2Scheme"),
    openIdConnectSecurityScheme: one("OpenIdConnectScheme"),
    mtlsSecurityScheme: one("MutualTlsScheme"),
  },
  ApiKeyScheme: { description: dropped, location: kept, name: kept },
  HttpAuthScheme: { description: dropped, scheme: kept, bearerFormat: dropped },
  OAuth2Scheme: { description: dropped, flows: one("OAuthFlows"), oauth2MetadataUrl: dropped },
  OpenIdConnectScheme: { description: dropped, openIdConnectUrl: kept },
  MutualTlsScheme: { description: dropped },
  OAuthFlows: {
    authorizationCode: one("AuthorizationCodeFlow"),
    clientCredentials: one("ClientCredentialsFlow"),
    implicit: one("ImplicitFlow"),
    password: one("PasswordFlow"),
    deviceCode: one("DeviceCodeFlow"),
  },
  AuthorizationCodeFlow: {
    authorizationUrl: kept,
    tokenUrl: kept,
    refreshUrl: dropped,
    scopes: kept,
    pkceRequired: dropped,
  },
  ClientCredentialsFlow: { tokenUrl: kept, refreshUrl: dropped, scopes: kept },
  ImplicitFlow: { authorizationUrl: dropped, refreshUrl: dropped, scopes: dropped },
  PasswordFlow: { tokenUrl: dropped, refreshUrl: dropped, scopes: dropped },
  DeviceCodeFlow: { deviceAuthorizationUrl: kept, tokenUrl: kept, refreshUrl: dropped, scopes: kept },
};
