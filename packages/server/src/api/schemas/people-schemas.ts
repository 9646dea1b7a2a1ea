import { z } from "@hono/zod-openapi";

/** The rights of a member in a workspace. */
export const role = z
  .enum(["owner", "editor", "viewer"])
  .describe("Viewers read, editors also write, owners also manage people, keys and agents");

export const workspaceSchema = z
  .object({ id: z.string(), name: z.string(), role })
  .openapi("Workspace", { description: "A workspace and the caller's role in it" });

export const meSchema = z
  .object({
    user: z.object({ id: z.string(), name: z.string(), email: z.string().optional() }),
    workspace: workspaceSchema,
    workspaces: z.array(workspaceSchema).describe("Valid values of X-Workspace"),
    isLogin: z.boolean().describe("Whether the caller signed in in the browser, and can sign out"),
  })
  .openapi("Me");

const memberSchema = z
  .object({
    userId: z.string(),
    name: z.string(),
    email: z.string().optional(),
    role,
    isSet: z
      .literal(true)
      .optional()
      .describe("Listed in PARLEY_OPERATORS, so the role cannot be changed here"),
  })
  .openapi("Member");

const invitationSchema = z
  .object({ email: z.string(), role, by: z.string() })
  .openapi("Invitation", { description: "Whoever signs in with this address becomes a member" });

export const membersSchema = z.object({
  members: z.array(memberSchema),
  invitations: z.array(invitationSchema).describe("Visible to owners only"),
});

export const shareSchema = z
  .object({
    id: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().optional(),
  })
  .openapi("Share", { description: "A link that lets anybody read the session" });

export const ownShareSchema = shareSchema
  .extend({
    sessionId: z.string(),
    owner: z.string().describe("The user whose session it is"),
    title: z.string().describe("Empty where the session is not the caller's"),
  })
  .openapi("OwnShare", {
    description: "A link to a session of the caller, or of a workspace that they manage",
  });

export const madeShareSchema = shareSchema
  .extend({
    token: z
      .string()
      .describe("Shown only once: send it to /shared as X-Share-Token, or open /s/shared#TOKEN"),
  })
  .openapi("MadeShare");
