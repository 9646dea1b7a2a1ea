import { z } from "@hono/zod-openapi";
import { printable } from "./parameters.ts";

/** The name of a user, a workspace or a key. */
const word = printable(100);

const roleSchema = z.enum(["owner", "editor", "viewer"]);

export const keySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    owner: z.string().describe("The user that it acts for"),
    workspace: z.string(),
    role: roleSchema,
    prefix: z.string().describe("The first characters of the key"),
    createdAt: z.string(),
    expiresAt: z.string().optional(),
    lastUsedAt: z.string().optional().describe("To within an hour"),
  })
  .openapi("ApiKey");

/** The workspace of keys or audit entries. */
export const ofWorkspace = {
  workspace: word.optional().describe("A workspace other than the caller's; operators only"),
};

export const newKeySchema = z.strictObject({
  name: word,
  owner: word
    .optional()
    .describe(
      "A service account that the key acts for and that is created with it; the name must never have been used in the workspace. By default the key acts for the caller",
    ),
  ...ofWorkspace,
  role: roleSchema.default("editor"),
  expiresAt: z.iso
    .datetime({ offset: true })
    .refine((at) => Date.parse(at) > Date.now(), "must be in the future")
    .optional(),
});

export const auditSchema = z
  .object({
    index: z.int(),
    at: z.string(),
    owner: z.string().describe("The actor's id"),
    name: z.string().describe("The actor's display name"),
    action: z.string().openapi({ example: "key.created" }),
    target: z.string(),
    address: z.string().optional().describe("The client's IP address"),
    details: z.record(z.string(), z.string()).optional(),
  })
  .openapi("AuditEntry");
