import { isObject } from "../protocol/model.ts";
import {
  type SecurityRequirement,
  type SecurityScheme,
  securityRequirementSchema,
  securitySchemeSchema,
} from "./agent-card.ts";
import { type CardFindings, type JsonObject, withoutNulls } from "./card-findings.ts";

const schemeMembers: Readonly<Record<string, string>> = {
  apiKey: "apiKeySecurityScheme",
  http: "httpAuthSecurityScheme",
  oauth2: "oauth2SecurityScheme",
  openIdConnect: "openIdConnectSecurityScheme",
  mutualTLS: "mtlsSecurityScheme",
};

/** The schemes of any version of the card; v0.1 has words, which become schemes of HTTP authentication. */
export function readSchemes(
  card: JsonObject,
  findings: CardFindings,
): Record<string, SecurityScheme> | undefined {
  const declared = findings.object(card, "securitySchemes", "$");
  if (declared === undefined) return firstSchemes(card, findings);
  const schemes = Object.entries(declared).flatMap(([name, value]) => {
    const scheme = securitySchemeSchema.safeParse(modernScheme(withoutAnyNulls(value))).data;
    if (scheme !== undefined) return [[name, scheme] as const];
    findings.warning(`$.securitySchemes.${name}`, "we do not know this kind of scheme");
    return [];
  });
  return Object.fromEntries(schemes);
}

/** v1.0 as it is; v0.3's flat form under the member that v1.0 has for its type. */
function modernScheme(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (Object.values(schemeMembers).some((member) => isObject(value[member]))) return value;
  const { type, in: location, ...rest } = value;
  const member = schemeMembers[String(type)];
  return member === undefined ? value : { [member]: location === undefined ? rest : { ...rest, location } };
}

function withoutAnyNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  const members = Object.entries(withoutNulls(value));
  return Object.fromEntries(members.map(([name, item]) => [name, withoutAnyNulls(item)]));
}

function firstSchemes(card: JsonObject, findings: CardFindings): Record<string, SecurityScheme> | undefined {
  const words = firstWords(card, findings);
  if (words.length === 0) return undefined;
  return Object.fromEntries(words.map((scheme) => [scheme, { httpAuthSecurityScheme: { scheme } }]));
}

function firstWords(card: JsonObject, findings: CardFindings): string[] {
  const authentication = isObject(card.authentication) ? card.authentication : {};
  return findings.texts(authentication, "schemes", "$.authentication") ?? [];
}

/** The requirements of a card or a skill, in either version's form and under either version's name. */
export function readRequirements(
  value: JsonObject,
  findings: CardFindings,
  path: string,
): SecurityRequirement[] | undefined {
  const modern = findings.items(value, "securityRequirements", path);
  const declared = modern ?? findings.items(value, "security", path);
  if (declared === undefined) {
    const words = path === "$" && value.securitySchemes === undefined ? firstWords(value, findings) : [];
    // Any one of v0.1's words will do.
    return words.length === 0 ? undefined : words.map((word) => ({ schemes: { [word]: {} } }));
  }
  const name = modern === undefined ? "security" : "securityRequirements";
  return declared.flatMap((item, index) => {
    const found = securityRequirementSchema.safeParse(modernRequirement(item)).data;
    if (found === undefined) findings.error(`${path}.${name}[${index}]`, "it is not a security requirement");
    return found ?? [];
  });
}

function modernRequirement(value: unknown): unknown {
  if (!isObject(value)) return value;
  // A scheme may itself be called "schemes"; then a list stands there, never an object.
  const schemes = isObject(value.schemes) ? value.schemes : value;
  return {
    schemes: Object.fromEntries(
      Object.entries(schemes).map(([name, scopes]) => [
        name,
        Array.isArray(scopes) ? { list: scopes } : scopes,
      ]),
    ),
  };
}
