import { z } from "@hono/zod-openapi";
import { invalid, Problem } from "@parley/adapters";
import {
  type AuditedAction,
  auditAppend,
  type CommittedWith,
  cookieHeader,
  type Identity,
  isOperator,
  type Membership,
  WORKSPACE_COOKIE,
  type WorkspaceRole,
} from "@parley/identity";
import type { Api, ApiEnvironment, ApiRoutes } from "../api-options.ts";
import { taggedRoutes } from "../endpoints.ts";
import { pathId, printable } from "../schemas/parameters.ts";
import { membersSchema, meSchema, role, workspaceSchema } from "../schemas/people-schemas.ts";

const COOKIE_SECONDS = 365 * 24 * 3_600;
const email = z.email().max(320);

/** The caller, and the members of their workspaces. */
export function peopleRoutes({ people, commands }: Api): ApiRoutes {
  const { routes, route } = taggedRoutes("People");
  const ownWorkspaces = async ({ owner, workspace, isBound }: Identity) =>
    (await people.memberships(owner))
      .filter((member) => !isBound || member.workspace === workspace)
      .map(workspaceView);
  /** The caller's role; other workspaces do not exist for the caller, and in their own a forbidden request is a 403. */
  const checkRoleIn = async (
    workspace: string,
    identity: Identity,
    needed: "member" | "owner",
  ): Promise<WorkspaceRole> => {
    // The creator of a key may name anybody as its user, so it opens only the workspace that it was created in.
    const isElsewhere = identity.isBound && workspace !== identity.workspace;
    // Operators admit others even by a key: before that, nobody may have signed in.
    const operates = isOperator(identity) && workspace === identity.workspace ? "owner" : undefined;
    const is = isElsewhere ? undefined : ((await people.role(workspace, identity.owner)) ?? operates);
    if (!is) throw new Problem("not_found", "There is no such workspace");
    // A key may have fewer rights than its user.
    if (needed === "owner" && (is !== "owner" || identity.role !== "owner"))
      throw new Problem("forbidden", "Only owners of the workspace may do this; ask one of them");
    return is;
  };
  const membersOf = async (workspace: string, is: WorkspaceRole = "owner") => {
    const { members, invitations } = await people.members(workspace);
    return { members, invitations: is === "owner" ? invitations : [] };
  };
  /** Changes a workspace's members once per key, and commits the audit entry with the change. */
  const change = async (
    { identity, principal, key, params: { id } }: ApiEnvironment["Variables"] & { params: { id: string } },
    entry: AuditedAction,
    apply: (noted: CommittedWith) => Promise<void>,
  ) =>
    commands.onceDone({ principal, operation: "people", key, asked: { id, entry } }, (kept) =>
      apply([auditAppend({ ...identity, workspace: id }, entry), ...kept]),
    );

  route("get", "/me", {
    summary: "Get the caller and their workspaces",
    response: meSchema,
    handle: async (request) => {
      const { owner: id, name, workspace, role: is, isLogin = false } = request.identity;
      const user = await people.user(id);
      if (user) await people.acceptInvitations(user);
      const workspaces = await ownWorkspaces(request.identity);
      const known = workspaces.find((each) => each.id === workspace);
      // A key or the local user may be in a workspace that has no members.
      const current = { id: workspace, name: known?.name ?? workspace, role: is };
      return {
        user: { id, name: user?.name ?? name, ...(user?.email !== undefined && { email: user.email }) },
        workspace: current,
        workspaces: known ? workspaces : [current, ...workspaces],
        isLogin,
      };
    },
  });

  route("put", "/me/workspace", {
    summary: "Choose the default workspace of this browser",
    body: { id: pathId },
    isKeyed: false,
    handle: async ({ identity, body: { id }, context }) => {
      await checkRoleIn(id, identity, "member");
      // The origin of a page loaded over https has that scheme.
      const isSecure = context.req.header("Origin")?.startsWith("https:") ?? false;
      const options = { seconds: COOKIE_SECONDS, sameSite: "Strict", isSecure } as const;
      context.header("Set-Cookie", cookieHeader(WORKSPACE_COOKIE, encodeURIComponent(id), options));
    },
  });

  route("get", "/workspaces", {
    summary: "List the caller's workspaces",
    response: { workspaces: z.array(workspaceSchema) },
    handle: async ({ identity }) => ({ workspaces: await ownWorkspaces(identity) }),
  });

  route("post", "/workspaces", {
    summary: "Create a workspace, owned by the caller",
    body: { name: printable(100, z.string().trim()) },
    response: { workspace: workspaceSchema },
    status: 201,
    handle: async ({ identity, key, body: { name } }) => {
      const { owner, isBound } = identity;
      if (isBound || !(await people.user(owner)))
        throw new Problem("forbidden", "Only users who have signed in may create workspaces");
      const made = await commands.once<Membership>(
        { principal: { owner, workspace: "" }, operation: "workspaces", key, asked: { name } },
        ({ kept }) =>
          people.createWorkspace(owner, name, (membership) => {
            const { workspace } = membership;
            const entry = { action: "workspace.created", target: workspace, details: { name } } as const;
            return [auditAppend({ ...identity, workspace }, entry), ...kept(membership)];
          }),
      );
      return { workspace: workspaceView(made) };
    },
  });

  route("get", "/workspaces/{id}/members", {
    summary: "List the members and invitations of a workspace",
    response: membersSchema,
    handle: async ({ identity, params: { id } }) => membersOf(id, await checkRoleIn(id, identity, "member")),
  });

  route("post", "/workspaces/{id}/members", {
    summary: "Add a user to a workspace, or invite an email address; owners only",
    body: { userId: pathId.optional(), email: email.optional(), role },
    response: membersSchema,
    status: 201,
    handle: async (request) => {
      const { identity, params, body } = request;
      await checkRoleIn(params.id, identity, "owner");
      const { userId, email: address, role: given } = body;
      const details = { role: given };
      if (userId !== undefined && address === undefined)
        await change(request, { action: "member.added", target: userId, details }, (noted) =>
          people.addMember(params.id, userId, given, noted),
        );
      else if (address !== undefined && userId === undefined)
        await change(request, { action: "member.invited", target: address, details }, (noted) =>
          people.invite(params.id, { email: address, role: given, by: identity.owner }, noted),
        );
      else throw invalid("body", "must have either a userId or an email");
      return membersOf(params.id);
    },
  });

  route("patch", "/workspaces/{id}/members/{userId}", {
    summary: "Change a member's role; owners only",
    body: { role },
    response: membersSchema,
    handle: async (request) => {
      const { id, userId } = request.params;
      await checkRoleIn(id, request.identity, "owner");
      const { role: given } = request.body;
      await change(request, { action: "member.changed", target: userId, details: { role: given } }, (noted) =>
        people.setRole(id, userId, given, noted),
      );
      return membersOf(id);
    },
  });

  route("delete", "/workspaces/{id}/members/{userId}", {
    summary: "Remove a member, or leave; their open streams end",
    handle: async (request) => {
      const { id, userId } = request.params;
      const { identity } = request;
      const is = await checkRoleIn(id, identity, userId === identity.owner ? "member" : "owner");
      if (identity.isBound && identity.role !== is)
        throw new Problem("forbidden", "A key with a lesser role than its user cannot leave for them");
      await change(request, { action: "member.removed", target: userId }, (noted) =>
        people.removeMember(id, userId, noted),
      );
    },
  });

  route("delete", "/workspaces/{id}/invitations/{email}", {
    summary: "Revoke an invitation; owners only",
    params: { email },
    handle: async (request) => {
      const { id, email: address } = request.params;
      await checkRoleIn(id, request.identity, "owner");
      await change(request, { action: "invitation.revoked", target: address }, (noted) =>
        people.revokeInvitation(id, address, noted),
      );
    },
  });

  return routes;
}

function workspaceView({ workspace: id, name, role: is }: Membership): z.infer<typeof workspaceSchema> {
  return { id, name, role: is };
}
