import { canonicalizeAgentCard, type AgentCard as SdkCard } from "@a2a-js/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import {
  agentCapabilitiesSchema,
  agentCardSchema,
  agentExtensionSchema,
  agentInterfaceSchema,
  agentSkillSchema,
  securityRequirementSchema,
  securitySchemeSchema,
} from "./agent-card.ts";
import { type CardDocument, canonicalCard, cardMessages } from "./canonical-card.ts";
import { agentCardJson } from "./published-cards.ts";
import { exampleAgent, plainAgent } from "./testing/example-agent.ts";

function sdkForm(document: CardDocument): string {
  return canonicalizeAgentCard(document as unknown as SdkCard);
}

describe("the canonical form of a card (A2A-CARD-5)", () => {
  it("matches the example in section 8.4.1 of the specification", () => {
    const fragment = {
      name: "Example Agent",
      description: "",
      capabilities: { streaming: false, pushNotifications: false, extensions: [] },
      skills: [],
    };
    expect(canonicalCard(fragment)).toBe(
      '{"capabilities":{"pushNotifications":false,"streaming":false},"description":"",' +
        '"name":"Example Agent","skills":[]}',
    );
  });

  it.each([
    ["a REQUIRED list that is empty", { defaultInputModes: [] }, '{"defaultInputModes":[]}'],
    ["a REQUIRED text that is empty", { version: "" }, '{"version":""}'],
    ["an optional text that was set", { iconUrl: "" }, '{"iconUrl":""}'],
    [
      "an optional flag that was set",
      { capabilities: { extendedAgentCard: false } },
      '{"capabilities":{"extendedAgentCard":false}}',
    ],
    ["a message that was set", { provider: {} }, '{"provider":{}}'],
    [
      "a scheme without members",
      { securitySchemes: { a: { mtlsSecurityScheme: {} } } },
      '{"securitySchemes":{"a":{"mtlsSecurityScheme":{}}}}',
    ],
    [
      "what extensions say, as it is",
      { capabilities: { extensions: [{ uri: "u", params: { a: "", b: [], c: null } }] } },
      '{"capabilities":{"extensions":[{"params":{"a":"","b":[],"c":null},"uri":"u"}]}}',
    ],
  ])("keeps %s", (_, document, expected) => {
    expect(canonicalCard(document)).toBe(expected);
  });

  it.each([
    ["the signatures", { signatures: [{ protected: "a", signature: "b" }] }],
    ["an empty list that is not REQUIRED", { securityRequirements: [] }],
    ["an empty map", { securitySchemes: {} }],
    ["null", { iconUrl: null, name: null }],
    ["members that v1.0 does not have", { url: "https://x.example", protocolVersion: "0.3.0", security: [] }],
  ])("leaves out %s", (_, document) => {
    expect(canonicalCard(document)).toBe("{}");
  });

  it("omits nested defaults, and keeps their enclosing object", () => {
    const document = {
      supportedInterfaces: [{ url: "u", protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "" }],
      securityRequirements: [{ schemes: { bearer: { list: [] } } }],
      skills: [{ id: "", tags: [], examples: [], inputModes: [] }],
    };
    expect(canonicalCard(document)).toBe(
      '{"securityRequirements":[{"schemes":{"bearer":{}}}],"skills":[{"id":"","tags":[]}],' +
        '"supportedInterfaces":[{"protocolBinding":"JSONRPC","protocolVersion":"1.0","url":"u"}]}',
    );
  });

  it("covers every served member if the whole document is requested", () => {
    const document = { url: "u", name: "", extra: [null], signatures: [] };
    expect(canonicalCard(document, "whole-document")).toBe('{"extra":[null],"name":"","url":"u"}');
  });

  it("agrees with the SDK on a card without empty members", () => {
    const document = agentCardJson(plainAgent);
    expect(canonicalCard(document)).toBe(sdkForm(document));
  });

  it("differs from the SDK on a requirement without scopes, which the SDK loses", () => {
    const document = agentCardJson(exampleAgent);
    expect(canonicalCard(document)).toContain('{"schemes":{"bearer":{}}}');
    expect(sdkForm(document)).not.toContain('"bearer":{}');
  });

  it("is the SDK's, including empty members, if that form is requested", () => {
    const text = fc.constantFrom("", "a", "é");
    const texts = fc.array(text, { maxLength: 2 });
    const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
    const requirements = fc.array(fc.record({ schemes: fc.dictionary(text, fc.record({ list: texts })) }), {
      maxLength: 2,
    });
    const scheme = fc.oneof(
      fc.record({ httpAuthSecurityScheme: fc.record({ scheme: text, bearerFormat: text }) }),
      fc.record({ mtlsSecurityScheme: fc.record({ description: text }) }),
      fc.record({
        oauth2SecurityScheme: fc.record({
          flows: fc.record({
            clientCredentials: fc.record({ tokenUrl: text, scopes: fc.dictionary(text, text) }),
          }),
        }),
      }),
    );
    const card = fc.record({
      name: text,
      description: text,
      version: text,
      iconUrl: maybe(text),
      provider: maybe(fc.record({ organization: text, url: text })),
      supportedInterfaces: fc.array(fc.record({ url: text, protocolBinding: text, tenant: text })),
      capabilities: fc.record({
        streaming: maybe(fc.boolean()),
        extensions: fc.array(
          fc.record({
            uri: text,
            required: fc.boolean(),
            params: maybe(fc.dictionary(text, fc.jsonValue())),
          }),
        ),
      }),
      securitySchemes: fc.dictionary(text, scheme),
      securityRequirements: requirements,
      defaultInputModes: texts,
      skills: fc.array(
        fc.record({ id: text, tags: texts, examples: texts, securityRequirements: requirements }),
      ),
      url: text,
    });
    fc.assert(
      fc.property(card, (value) => {
        const document = JSON.parse(JSON.stringify(value)) as CardDocument;
        // The SDK loses a member of this name.
        fc.pre(!JSON.stringify(document).includes("__proto__"));
        expect(canonicalCard(document, "official-sdks")).toBe(sdkForm(document));
      }),
    );
  });
});

describe("the table of fields", () => {
  const names = (schema: z.ZodObject) => Object.keys(schema.shape).sort();
  const fields = (message: string) => Object.keys(cardMessages[message] ?? {}).sort();

  it("has the members that the schema has", () => {
    expect(fields("AgentCard")).toEqual(names(agentCardSchema).filter((name) => name !== "signatures"));
    expect(fields("AgentInterface")).toEqual(names(agentInterfaceSchema));
    expect(fields("AgentCapabilities")).toEqual(names(agentCapabilitiesSchema));
    expect(fields("AgentExtension")).toEqual(names(agentExtensionSchema));
    expect(fields("AgentSkill")).toEqual(names(agentSkillSchema));
    expect(fields("SecurityRequirement")).toEqual(names(securityRequirementSchema));
    expect(fields("SecurityScheme")).toEqual(securitySchemeSchema.options.flatMap(names).sort());
  });

  it("references only messages that it contains", () => {
    const named = Object.values(cardMessages).flatMap((message) =>
      Object.values(message).flatMap((field) => field.message ?? []),
    );
    expect(named.filter((name) => cardMessages[name] === undefined)).toEqual([]);
  });
});
