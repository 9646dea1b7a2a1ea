import { z } from "@hono/zod-openapi";

/** A name of a person, a workspace or a key, as somebody writes it. */
const word = z
  .string()
  .min(1)
  .max(100)
  .refine((text) => !/\p{Cc}/u.test(text), "must not hold control characters");

const roleSchema = z.enum(["owner", "editor", "viewer"]);

export const keySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    owner: z.string().openapi({ description: "The user that it speaks for" }),
    workspace: z.string(),
    role: roleSchema,
    prefix: z.string().openapi({ description: "How the key begins" }),
    createdAt: z.string(),
    expiresAt: z.string().optional(),
    lastUsedAt: z.string().optional().openapi({ description: "To within an hour" }),
  })
  .openapi("ApiKey");

export const newKeySchema = z.strictObject({
  name: word,
  owner: word.optional().openapi({
    description:
      "The service account that it speaks for, which is created with it: a name that nobody ever had in the workspace; without it, yourself",
  }),
  workspace: word.optional().openapi({ description: "Another workspace than yours: for operators" }),
  role: roleSchema.default("editor"),
  expiresAt: z.iso
    .datetime({ offset: true })
    .refine((at) => Date.parse(at) > Date.now(), "must be in the future")
    .optional(),
});

/** Whose keys or entries are asked for. */
export const ofWorkspace = z.object({
  workspace: word.optional().openapi({ description: "Another workspace than yours: for operators" }),
});

export const auditSchema = z
  .object({
    index: z.int(),
    at: z.string(),
    owner: z.string().openapi({ description: "Who did it" }),
    name: z.string().openapi({ description: "How a person would name them" }),
    action: z.string().openapi({ example: "key.created" }),
    target: z.string(),
    address: z.string().optional().openapi({ description: "From where" }),
    details: z.record(z.string(), z.string()).optional(),
  })
  .openapi("AuditEntry");
