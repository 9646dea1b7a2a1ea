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
