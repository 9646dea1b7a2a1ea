import { z } from "@hono/zod-openapi";

/** What somebody may do in a workspace. */
export const role = z.enum(["owner", "editor", "viewer"]).openapi({
  description: "A viewer reads, an editor also works, an owner also manages people, keys and agents",
});

export const workspaceSchema = z
  .object({ id: z.string(), name: z.string(), role })
  .openapi("Workspace", { description: "A workspace, as the caller may use it" });

export const meSchema = z
  .object({
    user: z.object({ id: z.string(), name: z.string(), email: z.string().optional() }),
    workspace: workspaceSchema,
    workspaces: z.array(workspaceSchema).openapi({ description: "Those that X-Workspace may name" }),
    isLogin: z.boolean().openapi({ description: "Whether the caller signed in on a page, and can sign out" }),
  })
  .openapi("Me");

const memberSchema = z
  .object({
    ...{ userId: z.string(), name: z.string(), email: z.string().optional(), role },
    isSet: z
      .literal(true)
      .optional()
      .openapi({ description: "PARLEY_OPERATORS makes them an owner: that is changed there alone" }),
  })
  .openapi("Member");

const invitationSchema = z
  .object({ email: z.string(), role, by: z.string() })
  .openapi("Invitation", { description: "Whoever signs in with this address becomes a member" });

export const membersSchema = z.object({
  members: z.array(memberSchema),
  invitations: z.array(invitationSchema).openapi({ description: "Owners alone see them" }),
});

export const shareSchema = z
  .object({
    id: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().optional(),
  })
  .openapi("Share", { description: "A link by which anybody reads the session" });

export const ownShareSchema = shareSchema
  .extend({ sessionId: z.string(), title: z.string() })
  .openapi("OwnShare", { description: "A link to a session of the caller's" });

export const madeShareSchema = shareSchema
  .extend({
    token: z.string().openapi({
      description: "Told this once: send it as X-Share-Token to /shared, or open /s/shared#TOKEN",
    }),
  })
  .openapi("MadeShare");
