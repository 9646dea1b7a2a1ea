import { z } from "zod";

const scopes = z.record(z.string(), z.string());
const description = z.string().exactOptional();

/** OAuth 2.0 flows; v1.0 has one of them, v0.3 could have several, so all that are there are kept. */
const oauthFlows = z.object({
  authorizationCode: z
    .object({
      authorizationUrl: z.string(),
      tokenUrl: z.string(),
      refreshUrl: z.string().exactOptional(),
      scopes,
      pkceRequired: z.boolean().exactOptional(),
    })
    .exactOptional(),
  clientCredentials: z
    .object({ tokenUrl: z.string(), refreshUrl: z.string().exactOptional(), scopes })
    .exactOptional(),
  implicit: z
    .object({
      authorizationUrl: z.string().exactOptional(),
      refreshUrl: z.string().exactOptional(),
      scopes: scopes.exactOptional(),
    })
    .exactOptional(),
  password: z
    .object({
      tokenUrl: z.string().exactOptional(),
      refreshUrl: z.string().exactOptional(),
      scopes: scopes.exactOptional(),
    })
    .exactOptional(),
  deviceCode: z
    .object({
      deviceAuthorizationUrl: z.string(),
      tokenUrl: z.string(),
      refreshUrl: z.string().exactOptional(),
      scopes,
    })
    .exactOptional(),
});

/** How a caller can prove who it is: the member that is there says which kind. */
export const securitySchemeSchema = z.union([
  z.object({
    apiKeySecurityScheme: z.object({
      description,
      location: z.enum(["query", "header", "cookie"]),
      name: z.string(),
    }),
  }),
  z.object({
    httpAuthSecurityScheme: z.object({
      description,
      scheme: z.string(),
      bearerFormat: z.string().exactOptional(),
    }),
  }),
  z.object({
    oauth2SecurityScheme: z.object({
      description,
      flows: oauthFlows,
      oauth2MetadataUrl: z.string().exactOptional(),
    }),
  }),
  z.object({ openIdConnectSecurityScheme: z.object({ description, openIdConnectUrl: z.string() }) }),
  z.object({ mtlsSecurityScheme: z.object({ description }) }),
]);

/** All the named schemes together, each with its scopes, satisfy one requirement. */
export const securityRequirementSchema = z.object({
  schemes: z.record(z.string(), z.object({ list: z.array(z.string()).exactOptional() })),
});

export type SecurityScheme = z.infer<typeof securitySchemeSchema>;
export type SecurityRequirement = z.infer<typeof securityRequirementSchema>;
export type OAuthFlows = z.infer<typeof oauthFlows>;
