import { createRoute, z } from "@hono/zod-openapi";
import type { Identity, Role } from "../../access/identity.ts";
import { cookieIn, LOGIN_COOKIE, setCookie, WORKSPACE_COOKIE } from "../../people/cookies.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { invalid, Problem } from "../problem.ts";
import { jsonAnswer, jsonBody, newRoutes, refusals } from "../route-parts.ts";
import { pathId } from "../schemas/parameters.ts";
import { membersSchema, meSchema, role, workspaceSchema } from "../schemas/people-schemas.ts";

const tags = ["People"];
const KEPT_SECONDS = 365 * 24 * 3_600;
const workspaceParams = z.object({ id: pathId });
const memberParams = z.object({ id: pathId, userId: pathId });
const email = z.email().max(320);

const meRoute = createRoute({
  ...{ method: "get", path: "/me", tags, summary: "Who the caller is, and in which workspace" },
  responses: { 200: jsonAnswer(meSchema, "The caller"), ...refusals },
});

const chooseRoute = createRoute({
  ...{ method: "put", path: "/me/workspace", tags },
  summary: "Choose the workspace for requests of this browser that name none",
  request: { body: jsonBody(z.strictObject({ id: pathId })) },
  responses: { 204: { description: "It is chosen" }, ...refusals },
});

const workspacesRoute = createRoute({
  ...{ method: "get", path: "/workspaces", tags, summary: "The workspaces that the caller is a member of" },
  responses: {
    200: jsonAnswer(z.object({ workspaces: z.array(workspaceSchema) }), "All of them"),
    ...refusals,
  },
});

const createWorkspaceRoute = createRoute({
  ...{ method: "post", path: "/workspaces", tags, summary: "Make a workspace; the caller is its owner" },
  request: { body: jsonBody(z.strictObject({ name: z.string().trim().min(1).max(100) })) },
  responses: { 201: jsonAnswer(z.object({ workspace: workspaceSchema }), "The new workspace"), ...refusals },
});

const membersRoute = createRoute({
  ...{ method: "get", path: "/workspaces/{id}/members", tags, summary: "Who is in a workspace, and invited" },
  request: { params: workspaceParams },
  responses: { 200: jsonAnswer(membersSchema, "All of them"), ...refusals },
});

const inviteRoute = createRoute({
  ...{ method: "post", path: "/workspaces/{id}/members", tags },
  summary: "Make a user a member, or invite whoever signs in with an address; owners only",
  request: {
    params: workspaceParams,
    body: jsonBody(z.strictObject({ userId: pathId.optional(), email: email.optional(), role })),
  },
  responses: { 201: jsonAnswer(membersSchema, "Who is in it now"), ...refusals },
});

const roleRoute = createRoute({
  ...{
    method: "patch",
    path: "/workspaces/{id}/members/{userId}",
    tags,
    summary: "Change a member's role; owners only",
  },
  request: { params: memberParams, body: jsonBody(z.strictObject({ role })) },
  responses: { 200: jsonAnswer(membersSchema, "Who is in it now"), ...refusals },
});

const removeRoute = createRoute({
  ...{ method: "delete", path: "/workspaces/{id}/members/{userId}", tags },
  summary: "Remove a member, or leave; what they have open ends",
  request: { params: memberParams },
  responses: { 204: { description: "They are no member any more" }, ...refusals },
});

const uninviteRoute = createRoute({
  ...{
    method: "delete",
    path: "/workspaces/{id}/invitations/{email}",
    tags,
    summary: "Take an invitation back; owners only",
  },
  request: { params: z.object({ id: pathId, email }) },
  responses: { 204: { description: "It is taken back" }, ...refusals },
});

/** Who the caller is, and who else is in their workspaces. */
export function peopleRoutes({ people, audit }: Api): ApiRoutes {
  const routes = newRoutes();
  const own = async ({ owner, workspace, isBound }: Identity) =>
    (await people.memberships(owner))
      .filter((member) => !isBound || member.workspace === workspace)
      .map(({ workspace: id, name, role: is }) => ({ id, name, role: is }));
  /** What is not the caller's is not there; what is, they may know that they may not. */
  const checked = async (identity: Identity, workspace: string, managing: boolean) => {
    const { owner, role: here } = identity;
    // Whoever made a key may have named anybody as its user: it opens the workspace that it was made in.
    const isElsewhere = identity.isBound && workspace !== identity.workspace;
    const is = isElsewhere ? undefined : await people.role(workspace, owner);
    if (!is) throw new Problem("not_found", "There is no such workspace");
    // A key may be less than its user is.
    if (managing && (is !== "owner" || here !== "owner"))
      throw new Problem("forbidden", "Only an owner of the workspace may do this: ask one");
  };
  /** In the log of the workspace that it was done to. */
  const noted = (
    { owner, name }: Identity,
    workspace: string,
    action: "member.added" | "member.changed" | "member.removed",
    { target, role: given }: { readonly target: string; readonly role?: Role },
  ) =>
    audit.record({ owner, name, workspace }, { action, target, ...(given && { details: { role: given } }) });
  const membersOf = async (workspace: string) => {
    const { members, invitations } = await people.members(workspace);
    return { members: [...members], invitations: [...invitations] };
  };

  routes.openapi(meRoute, async (context) => {
    const { identity } = context.var;
    const { owner: id, name, workspace: here, role: is } = identity;
    const user = await people.user(id);
    if (user) await people.acceptInvitations(user);
    const workspaces = await own(identity);
    // Who comes by a key, or from this machine, may be in a workspace that is nobody's.
    const current = { id: here, name: workspaces.find((each) => each.id === here)?.name ?? here, role: is };
    const isKnown = workspaces.some((each) => each.id === here);
    const { headers } = context.env.incoming;
    const isLogin = cookieIn(headers, LOGIN_COOKIE) !== undefined && headers.authorization === undefined;
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
    const kept = { path: "/", seconds: KEPT_SECONDS, sameSite: "Strict", isSecure: false } as const;
    context.header("Set-Cookie", setCookie(WORKSPACE_COOKIE, encodeURIComponent(id), kept));
    return context.body(null, 204);
  });

  routes.openapi(workspacesRoute, async (context) =>
    context.json({ workspaces: await own(context.var.identity) }, 200),
  );

  routes.openapi(createWorkspaceRoute, async (context) => {
    const { owner, isBound } = context.var.identity;
    if (isBound || !(await people.user(owner)))
      throw new Problem("forbidden", "Workspaces are for people who have signed in");
    const made = await people.createWorkspace(owner, context.req.valid("json").name);
    return context.json({ workspace: { id: made.workspace, name: made.name, role: made.role } }, 201);
  });

  routes.openapi(membersRoute, async (context) => {
    const { id } = context.req.valid("param");
    await checked(context.var.identity, id, false);
    return context.json(await membersOf(id), 200);
  });

  routes.openapi(inviteRoute, async (context) => {
    const { id } = context.req.valid("param");
    await checked(context.var.identity, id, true);
    const { userId, email: address, role: given } = context.req.valid("json");
    if ((userId === undefined) === (address === undefined))
      throw invalid("body", "must have either a userId or an email");
    if (userId !== undefined) await people.add(id, userId, given);
    else await people.invite(id, { email: address ?? "", role: given, by: context.var.identity.owner });
    await noted(context.var.identity, id, "member.added", { target: userId ?? address ?? "", role: given });
    return context.json(await membersOf(id), 201);
  });

  routes.openapi(roleRoute, async (context) => {
    const { id, userId } = context.req.valid("param");
    await checked(context.var.identity, id, true);
    const { role: given } = context.req.valid("json");
    await people.setRole(id, userId, given);
    await noted(context.var.identity, id, "member.changed", { target: userId, role: given });
    return context.json(await membersOf(id), 200);
  });

  routes.openapi(removeRoute, async (context) => {
    const { id, userId } = context.req.valid("param");
    const { identity } = context.var;
    await checked(identity, id, userId !== identity.owner);
    await people.remove(id, userId);
    await noted(identity, id, "member.removed", { target: userId });
    return context.body(null, 204);
  });

  routes.openapi(uninviteRoute, async (context) => {
    const { id, email: address } = context.req.valid("param");
    await checked(context.var.identity, id, true);
    await people.uninvite(id, address);
    await noted(context.var.identity, id, "member.removed", { target: address });
    return context.body(null, 204);
  });

  return routes;
}
