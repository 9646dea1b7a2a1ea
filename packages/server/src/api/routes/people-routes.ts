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
import type { Context } from "hono";
import type { Api, ApiEnvironment, ApiRoutes } from "../api-options.ts";
import { answer, newRoutes, noContent, taggedRoute } from "../route-parts.ts";
import { commandHeaders, pathId } from "../schemas/parameters.ts";
import { membersSchema, meSchema, role, workspaceSchema } from "../schemas/people-schemas.ts";

const route = taggedRoute("People");
const KEPT_SECONDS = 365 * 24 * 3_600;
const workspaceParams = z.object({ id: pathId });
const memberParams = z.object({ id: pathId, userId: pathId });
const email = z.email().max(320);
const workspaceName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((text) => !/\p{Cc}/u.test(text), "must not hold control characters");

const meRoute = route("get", "/me", {
  summary: "Who the caller is, and in which workspace",
  responses: answer(200, meSchema, "The caller"),
});

const chooseRoute = route("put", "/me/workspace", {
  summary: "Choose the workspace for requests of this browser that name none",
  request: { body: z.strictObject({ id: pathId }) },
  responses: noContent("It is chosen"),
});

const workspacesRoute = route("get", "/workspaces", {
  summary: "The workspaces that the caller is a member of",
  responses: answer(200, z.object({ workspaces: z.array(workspaceSchema) }), "All of them"),
});

const createWorkspaceRoute = route("post", "/workspaces", {
  summary: "Make a workspace; the caller is its owner",
  request: { headers: commandHeaders, body: z.strictObject({ name: workspaceName }) },
  responses: answer(201, z.object({ workspace: workspaceSchema }), "The new workspace"),
});

const membersRoute = route("get", "/workspaces/{id}/members", {
  summary: "Who is in a workspace, and invited",
  request: { params: workspaceParams },
  responses: answer(200, membersSchema, "All of them"),
});

const inviteRoute = route("post", "/workspaces/{id}/members", {
  summary: "Make a user a member, or invite whoever signs in with an address; owners only",
  request: {
    params: workspaceParams,
    headers: commandHeaders,
    body: z.strictObject({ userId: pathId.optional(), email: email.optional(), role }),
  },
  responses: answer(201, membersSchema, "Who is in it now"),
});

const roleRoute = route("patch", "/workspaces/{id}/members/{userId}", {
  summary: "Change a member's role; owners only",
  request: { params: memberParams, headers: commandHeaders, body: z.strictObject({ role }) },
  responses: answer(200, membersSchema, "Who is in it now"),
});

const removeRoute = route("delete", "/workspaces/{id}/members/{userId}", {
  summary: "Remove a member, or leave; what they have open ends",
  request: { params: memberParams, headers: commandHeaders },
  responses: noContent("They are no member any more"),
});

const uninviteRoute = route("delete", "/workspaces/{id}/invitations/{email}", {
  summary: "Take an invitation back; owners only",
  request: { params: z.object({ id: pathId, email }), headers: commandHeaders },
  responses: noContent("It is taken back"),
});

/** Who the caller is, and who else is in their workspaces. */
export function peopleRoutes({ people, commands }: Api): ApiRoutes {
  const routes = newRoutes();
  const own = async ({ owner, workspace, isBound }: Identity) =>
    (await people.memberships(owner))
      .filter((member) => !isBound || member.workspace === workspace)
      .map(({ workspace: id, name, role: is }) => ({ id, name, role: is }));
  /** What is not the caller's is not there; what is, they may know that they may not. */
  const checked = async (
    identity: Identity,
    workspace: string,
    managing: boolean,
  ): Promise<WorkspaceRole> => {
    const { owner, role: here } = identity;
    // Whoever made a key may have named anybody as its user: it opens the workspace that it was made in.
    const isElsewhere = identity.isBound && workspace !== identity.workspace;
    // Who runs the platform lets others do so too, also by a key: before them there may be nobody who signs in.
    const runs = isOperator(identity) && workspace === identity.workspace ? "owner" : undefined;
    const is = isElsewhere ? undefined : ((await people.role(workspace, owner)) ?? runs);
    if (!is) throw new Problem("not_found", "There is no such workspace");
    // A key may be less than its user is.
    if (managing && (is !== "owner" || here !== "owner"))
      throw new Problem("forbidden", "Only an owner of the workspace may do this: ask one");
    return is;
  };
  const membersOf = async (workspace: string, is: WorkspaceRole = "owner") => {
    const { members, invitations } = await people.members(workspace);
    return { members: [...members], invitations: is === "owner" ? [...invitations] : [] };
  };
  /** Does something to a workspace's people, once under its key; who did it is in the log of that workspace, in the same unit. */
  const change = async (
    { var: { identity, principal, key } }: Context<ApiEnvironment>,
    { id, entry }: { id: string; entry: AuditedAction },
    carryOut: (noted: CommittedWith) => Promise<void>,
  ) => {
    await commands.onceDone({ principal, operation: "people", key, asked: { id, entry } }, (kept) =>
      carryOut([auditAppend({ ...identity, workspace: id }, entry), ...kept]),
    );
  };

  routes.openapi(meRoute, async (context) => {
    const { identity } = context.var;
    const { owner: id, name, workspace: here, role: is, isLogin = false } = identity;
    const user = await people.user(id);
    if (user) await people.acceptInvitations(user);
    const workspaces = await own(identity);
    // Who comes by a key, or from this machine, may be in a workspace that is nobody's.
    const current = { id: here, name: workspaces.find((each) => each.id === here)?.name ?? here, role: is };
    const isKnown = workspaces.some((each) => each.id === here);
    const shown = { id, name: user?.name ?? name, ...(user?.email !== undefined && { email: user.email }) };
    return context.json(
      {
        user: shown,
        workspace: current,
        workspaces: isKnown ? workspaces : [current, ...workspaces],
        isLogin,
      },
      200,
    );
  });

  routes.openapi(chooseRoute, async (context) => {
    const { id } = context.req.valid("json");
    await checked(context.var.identity, id, false);
    // A page that came by https has an origin that says so.
    const isSecure = context.req.header("Origin")?.startsWith("https:") ?? false;
    const kept = { seconds: KEPT_SECONDS, sameSite: "Strict", isSecure } as const;
    context.header("Set-Cookie", cookieHeader(WORKSPACE_COOKIE, encodeURIComponent(id), kept));
    return context.body(null, 204);
  });

  routes.openapi(workspacesRoute, async (context) =>
    context.json({ workspaces: await own(context.var.identity) }, 200),
  );

  routes.openapi(createWorkspaceRoute, async (context) => {
    const { identity, key } = context.var;
    const { owner, isBound } = identity;
    if (isBound || !(await people.user(owner)))
      throw new Problem("forbidden", "Workspaces are for people who have signed in");
    const { name } = context.req.valid("json");
    const made = await commands.once<Membership>(
      { principal: { owner, workspace: "" }, operation: "workspaces", key, asked: { name } },
      ({ kept }) =>
        people.createWorkspace(owner, name, (membership) => {
          const { workspace } = membership;
          const entry = { action: "workspace.created", target: workspace, details: { name } } as const;
          return [auditAppend({ ...identity, workspace }, entry), ...kept(membership)];
        }),
    );
    return context.json({ workspace: { id: made.workspace, name: made.name, role: made.role } }, 201);
  });

  routes.openapi(membersRoute, async (context) => {
    const { id } = context.req.valid("param");
    const is = await checked(context.var.identity, id, false);
    return context.json(await membersOf(id, is), 200);
  });

  routes.openapi(inviteRoute, async (context) => {
    const { id } = context.req.valid("param");
    await checked(context.var.identity, id, true);
    const { userId, email: address, role: given } = context.req.valid("json");
    if ((userId === undefined) === (address === undefined))
      throw invalid("body", "must have either a userId or an email");
    const details = { role: given };
    const entry: AuditedAction =
      userId === undefined
        ? { action: "member.invited", target: address ?? "", details }
        : { action: "member.added", target: userId, details };
    await change(context, { id, entry }, (noted) =>
      userId === undefined
        ? people.invite(id, { email: address ?? "", role: given, by: context.var.identity.owner }, noted)
        : people.addMember(id, userId, given, noted),
    );
    return context.json(await membersOf(id), 201);
  });

  routes.openapi(roleRoute, async (context) => {
    const { id, userId } = context.req.valid("param");
    await checked(context.var.identity, id, true);
    const { role: given } = context.req.valid("json");
    const entry = { action: "member.changed", target: userId, details: { role: given } } as const;
    await change(context, { id, entry }, (noted) => people.setRole(id, userId, given, noted));
    return context.json(await membersOf(id), 200);
  });

  routes.openapi(removeRoute, async (context) => {
    const { id, userId } = context.req.valid("param");
    const { identity } = context.var;
    const is = await checked(identity, id, userId !== identity.owner);
    if (identity.isBound && identity.role !== is)
      throw new Problem("forbidden", "A key with a lesser role than its user's does not leave for them");
    const entry = { action: "member.removed", target: userId } as const;
    await change(context, { id, entry }, (noted) => people.removeMember(id, userId, noted));
    return context.body(null, 204);
  });

  routes.openapi(uninviteRoute, async (context) => {
    const { id, email: address } = context.req.valid("param");
    await checked(context.var.identity, id, true);
    const entry = { action: "invitation.revoked", target: address } as const;
    await change(context, { id, entry }, (noted) => people.revokeInvitation(id, address, noted));
    return context.body(null, 204);
  });

  return routes;
}
