import { createRoute, z } from "@hono/zod-openapi";
import { type AuditEntry, auditAppend } from "../../access/audit-log.ts";
import { type Identity, isOperator, type Role } from "../../access/identity.ts";
import { setCookie, WORKSPACE_COOKIE } from "../../people/cookies.ts";
import type { Noted } from "../../people/people.ts";
import type { Membership } from "../../people/people-queries.ts";
import type { Api, ApiRoutes } from "../api-options.ts";
import { invalid, Problem } from "../problem.ts";
import { jsonAnswer, jsonBody, newRoutes, refusals } from "../route-parts.ts";
import { commandHeaders, pathId } from "../schemas/parameters.ts";
import { membersSchema, meSchema, role, workspaceSchema } from "../schemas/people-schemas.ts";

const tags = ["People"];
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
  request: { headers: commandHeaders, body: jsonBody(z.strictObject({ name: workspaceName })) },
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
    headers: commandHeaders,
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
  request: { params: memberParams, headers: commandHeaders, body: jsonBody(z.strictObject({ role })) },
  responses: { 200: jsonAnswer(membersSchema, "Who is in it now"), ...refusals },
});

const removeRoute = createRoute({
  ...{ method: "delete", path: "/workspaces/{id}/members/{userId}", tags },
  summary: "Remove a member, or leave; what they have open ends",
  request: { params: memberParams, headers: commandHeaders },
  responses: { 204: { description: "They are no member any more" }, ...refusals },
});

const uninviteRoute = createRoute({
  ...{
    method: "delete",
    path: "/workspaces/{id}/invitations/{email}",
    tags,
    summary: "Take an invitation back; owners only",
  },
  request: { params: z.object({ id: pathId, email }), headers: commandHeaders },
  responses: { 204: { description: "It is taken back" }, ...refusals },
});

/** Who the caller is, and who else is in their workspaces. */
export function peopleRoutes({ people, commands }: Api): ApiRoutes {
  const routes = newRoutes();
  const own = async ({ owner, workspace, isBound }: Identity) =>
    (await people.memberships(owner))
      .filter((member) => !isBound || member.workspace === workspace)
      .map(({ workspace: id, name, role: is }) => ({ id, name, role: is }));
  /** What is not the caller's is not there; what is, they may know that they may not. */
  const checked = async (identity: Identity, workspace: string, managing: boolean): Promise<Role> => {
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
  const membersOf = async (workspace: string, is: Role = "owner") => {
    const { members, invitations } = await people.members(workspace);
    return { members: [...members], invitations: is === "owner" ? [...invitations] : [] };
  };
  /** Does something to a workspace's people, once under its key; who did it is in the log of that workspace, in the same unit. */
  const change = async (
    context: { readonly var: { readonly identity: Identity } },
    { id, entry, header }: { id: string; entry: AuditEntry; header: string | undefined },
    carryOut: (noted: Noted) => Promise<void>,
  ) => {
    const { owner, name, workspace } = context.var.identity;
    await commands.once<null>(
      { principal: { owner, workspace }, operation: "people", header, asked: { id, entry } },
      async ({ kept }) => {
        await carryOut([auditAppend({ owner, name, workspace: id }, entry), ...kept(null)]);
        return null;
      },
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
    context.header("Set-Cookie", setCookie(WORKSPACE_COOKIE, encodeURIComponent(id), kept));
    return context.body(null, 204);
  });

  routes.openapi(workspacesRoute, async (context) =>
    context.json({ workspaces: await own(context.var.identity) }, 200),
  );

  routes.openapi(createWorkspaceRoute, async (context) => {
    const { owner, name: who, isBound } = context.var.identity;
    if (isBound || !(await people.user(owner)))
      throw new Problem("forbidden", "Workspaces are for people who have signed in");
    const { name } = context.req.valid("json");
    const header = context.req.valid("header")["Idempotency-Key"];
    const made = await commands.once<Membership>(
      { principal: { owner, workspace: "" }, operation: "workspaces", header, asked: { name } },
      ({ kept }) =>
        people.createWorkspace(owner, name, (membership) => {
          const { workspace } = membership;
          const entry = { action: "workspace.created", target: workspace, details: { name } } as const;
          return [auditAppend({ owner, name: who, workspace }, entry), ...kept(membership)];
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
    const header = context.req.valid("header")["Idempotency-Key"];
    const details = { role: given };
    const entry: AuditEntry =
      userId === undefined
        ? { action: "member.invited", target: address ?? "", details }
        : { action: "member.added", target: userId, details };
    await change(context, { id, entry, header }, (noted) =>
      userId === undefined
        ? people.invite(id, { email: address ?? "", role: given, by: context.var.identity.owner }, noted)
        : people.add(id, userId, given, noted),
    );
    return context.json(await membersOf(id), 201);
  });

  routes.openapi(roleRoute, async (context) => {
    const { id, userId } = context.req.valid("param");
    await checked(context.var.identity, id, true);
    const { role: given } = context.req.valid("json");
    const header = context.req.valid("header")["Idempotency-Key"];
    const entry = { action: "member.changed", target: userId, details: { role: given } } as const;
    await change(context, { id, entry, header }, (noted) => people.setRole(id, userId, given, noted));
    return context.json(await membersOf(id), 200);
  });

  routes.openapi(removeRoute, async (context) => {
    const { id, userId } = context.req.valid("param");
    const { identity } = context.var;
    await checked(identity, id, userId !== identity.owner);
    const header = context.req.valid("header")["Idempotency-Key"];
    const entry = { action: "member.removed", target: userId } as const;
    await change(context, { id, entry, header }, (noted) => people.remove(id, userId, noted));
    return context.body(null, 204);
  });

  routes.openapi(uninviteRoute, async (context) => {
    const { id, email: address } = context.req.valid("param");
    await checked(context.var.identity, id, true);
    const header = context.req.valid("header")["Idempotency-Key"];
    const entry = { action: "invitation.revoked", target: address } as const;
    await change(context, { id, entry, header }, (noted) => people.uninvite(id, address, noted));
    return context.body(null, 204);
  });

  return routes;
}
