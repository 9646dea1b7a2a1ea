import { createRoute, z } from "@hono/zod-openapi";
import type { Api, ApiRoutes } from "../api-options.ts";
import { keysetPage } from "../keyset-page.ts";
import { jsonAnswer, jsonBody, newRoutes, refusals } from "../route-parts.ts";
import {
  agentSchema,
  credentialsSchema,
  newAgentSchema,
  type RegisteredAgent,
} from "../schemas/agent-schemas.ts";
import { cursor, pageLimit, pathId } from "../schemas/parameters.ts";
import { next } from "../schemas/reading-schemas.ts";

const tags = ["Agents"];
const params = z.object({ name: pathId });
const one = z.object({ agent: agentSchema });

const listRoute = createRoute({
  ...{ method: "get", path: "/agents", tags, summary: "The agents that can be spoken to" },
  request: { query: z.object({ limit: pageLimit(200, 100), cursor }) },
  responses: {
    200: jsonAnswer(z.object({ agents: z.array(agentSchema), next }), "A page of agents"),
    ...refusals,
  },
});

const addRoute = createRoute({
  ...{ method: "post", path: "/agents", tags, summary: "Add an agent by its URL" },
  request: { body: jsonBody(newAgentSchema) },
  responses: { 201: jsonAnswer(one, "The agent as it was found"), ...refusals },
});

const changeRoute = createRoute({
  ...{
    method: "patch",
    path: "/agents/{name}",
    tags,
    summary: "Enable, disable, set credentials (null: none)",
  },
  request: {
    params,
    body: jsonBody(
      z.object({ enabled: z.boolean().optional(), credentials: credentialsSchema.nullable().optional() }),
    ),
  },
  responses: { 200: jsonAnswer(one, "The agent as it is now"), ...refusals },
});

const removeRoute = createRoute({
  ...{ method: "delete", path: "/agents/{name}", tags, summary: "Remove an agent" },
  request: { params },
  responses: { 204: { description: "It is removed" }, ...refusals },
});

const recheckRoute = createRoute({
  ...{ method: "post", path: "/agents/{name}/recheck", tags, summary: "Look at an agent now" },
  request: { params },
  responses: { 200: jsonAnswer(one, "The agent as it was found"), ...refusals },
});

/** The registry: what is there is added once and removed once, so that a repeated command is refused and changes nothing (S4.25). */
export function agentRoutes({ agents }: Api): ApiRoutes {
  const routes = newRoutes();

  routes.openapi(listRoute, async (context) => {
    const known = await agents.list(context.var.principal);
    const found = keysetPage(known, ({ name }) => ({ at: 0, id: name }), context.req.valid("query"));
    return context.json({ agents: found.page.map(shown), next: found.next }, 200);
  });

  routes.openapi(addRoute, async (context) => {
    const agent = await agents.add(context.var.principal, context.req.valid("json"));
    return context.json({ agent: shown(agent) }, 201);
  });

  routes.openapi(changeRoute, async (context) => {
    const { name } = context.req.valid("param");
    const agent = await agents.change(context.var.principal, name, context.req.valid("json"));
    return context.json({ agent: shown(agent) }, 200);
  });

  routes.openapi(removeRoute, async (context) => {
    await agents.remove(context.var.principal, context.req.valid("param").name);
    return context.body(null, 204);
  });

  routes.openapi(recheckRoute, async (context) => {
    const agent = await agents.recheck(context.var.principal, context.req.valid("param").name);
    return context.json({ agent: shown(agent) }, 200);
  });

  return routes;
}

/** Nothing but what the document promises, whatever else a registry keeps with its agents. */
function shown(agent: RegisteredAgent): RegisteredAgent {
  return agentSchema.parse(agent);
}
