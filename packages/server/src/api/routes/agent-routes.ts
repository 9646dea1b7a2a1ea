import { createRoute, z } from "@hono/zod-openapi";
import type { AgentStatistics } from "@parley/sessions";
import type { Api, ApiRoutes } from "../api-options.ts";
import { requestKey } from "../command-ids.ts";
import { keysetPage } from "../keyset-page.ts";
import { jsonAnswer, jsonBody, newRoutes, refusals } from "../route-parts.ts";
import {
  agentSchema,
  credentialsSchema,
  newAgentSchema,
  type RegisteredAgent,
} from "../schemas/agent-schemas.ts";
import { skill } from "../schemas/message-bodies.ts";
import { commandHeaders, cursor, pageLimit, pathId } from "../schemas/parameters.ts";
import { next } from "../schemas/reading-schemas.ts";

const tags = ["Agents"];
const params = z.object({ name: pathId });
const one = z.object({ agent: agentSchema });

const listRoute = createRoute({
  ...{ method: "get", path: "/agents", tags, summary: "The agents that can be spoken to" },
  request: {
    query: z.object({
      limit: pageLimit(200, 100),
      cursor,
      skill: skill
        .optional()
        .openapi({ description: "Only those that are up and have this skill, the best first" }),
    }),
  },
  responses: {
    200: jsonAnswer(z.object({ agents: z.array(agentSchema), next }), "A page of agents"),
    ...refusals,
  },
});

const addRoute = createRoute({
  ...{ method: "post", path: "/agents", tags, summary: "Add an agent by its URL" },
  request: { headers: commandHeaders, body: jsonBody(newAgentSchema) },
  responses: { 201: jsonAnswer(one, "The agent as it was found"), ...refusals },
});

const getRoute = createRoute({
  ...{ method: "get", path: "/agents/{name}", tags, summary: "An agent, and how it has done" },
  request: { params },
  responses: { 200: jsonAnswer(one, "The agent as it is known"), ...refusals },
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
    headers: commandHeaders,
    body: jsonBody(
      z.strictObject({
        enabled: z.boolean().optional(),
        credentials: credentialsSchema.nullable().optional(),
      }),
    ),
  },
  responses: { 200: jsonAnswer(one, "The agent as it is now"), ...refusals },
});

const removeRoute = createRoute({
  ...{ method: "delete", path: "/agents/{name}", tags, summary: "Remove an agent" },
  request: { params, headers: commandHeaders },
  responses: { 204: { description: "It is removed" }, ...refusals },
});

const restoreRoute = createRoute({
  ...{ method: "post", path: "/agents/{name}/restore", tags, summary: "Take the removal of an agent back" },
  request: { params, headers: commandHeaders },
  responses: { 200: jsonAnswer(one, "The agent, with its credentials as they were"), ...refusals },
});

const checkRoute = createRoute({
  ...{
    method: "post",
    path: "/agent-checks",
    tags,
    summary: "Look at an agent by its URL without adding it",
  },
  request: { body: jsonBody(newAgentSchema) },
  responses: { 200: jsonAnswer(one, "The agent as it would be"), ...refusals },
});

const recheckRoute = createRoute({
  ...{ method: "post", path: "/agents/{name}/recheck", tags, summary: "Look at an agent now" },
  request: { params },
  responses: { 200: jsonAnswer(one, "The agent as it was found"), ...refusals },
});

/** The registry, with how each agent has done (S4.25). */
export function agentRoutes({ agents, sessions }: Api): ApiRoutes {
  const routes = newRoutes();

  routes.openapi(listRoute, async (context) => {
    const { principal } = context.var;
    const query = context.req.valid("query");
    const known = await agents.list(principal, query.skill);
    // The order of those that fit is their rank; of all, their names.
    const placeOf = (agent: RegisteredAgent) =>
      query.skill === undefined ? { at: 0, id: agent.name } : { at: -known.indexOf(agent), id: agent.name };
    const found = keysetPage(known, placeOf, query);
    const figures = await sessions.statistics(principal);
    return context.json({ agents: found.page.map((agent) => shown(agent, figures)), next: found.next }, 200);
  });

  routes.openapi(getRoute, async (context) => {
    const { principal } = context.var;
    const { name } = context.req.valid("param");
    const agent = await agents.get(principal, name);
    return context.json({ agent: shown(agent, await sessions.statistics(principal)) }, 200);
  });

  routes.openapi(addRoute, async (context) => {
    const { principal } = context.var;
    const asked = context.req.valid("json");
    const header = context.req.valid("header")["Idempotency-Key"];
    const agent = await agents.add(
      context.var.identity,
      asked,
      requestKey(principal, "agents", { header, asked }),
    );
    return context.json({ agent: shown(agent) }, 201);
  });

  routes.openapi(changeRoute, async (context) => {
    const { principal } = context.var;
    const { name } = context.req.valid("param");
    const change = context.req.valid("json");
    const header = context.req.valid("header")["Idempotency-Key"];
    const key = requestKey(principal, "agents", { header, asked: { name, change } });
    const agent = await agents.change(context.var.identity, name, change, key);
    return context.json({ agent: shown(agent) }, 200);
  });

  routes.openapi(removeRoute, async (context) => {
    const { principal } = context.var;
    const { name } = context.req.valid("param");
    const header = context.req.valid("header")["Idempotency-Key"];
    await agents.remove(
      context.var.identity,
      name,
      requestKey(principal, "agents", { header, asked: { remove: name } }),
    );
    return context.body(null, 204);
  });

  routes.openapi(restoreRoute, async (context) => {
    const { principal } = context.var;
    const { name } = context.req.valid("param");
    const header = context.req.valid("header")["Idempotency-Key"];
    const key = requestKey(principal, "agents", { header, asked: { restore: name } });
    const agent = await agents.restore(context.var.identity, name, key);
    return context.json({ agent: shown(agent) }, 200);
  });

  routes.openapi(checkRoute, async (context) => {
    const agent = await agents.check(context.var.principal, context.req.valid("json"));
    return context.json({ agent: shown(agent) }, 200);
  });

  routes.openapi(recheckRoute, async (context) => {
    const agent = await agents.recheck(context.var.principal, context.req.valid("param").name);
    return context.json({ agent: shown(agent) }, 200);
  });

  return routes;
}

/** Nothing but what the document promises, whatever else a registry keeps with its agents. */
function shown(agent: RegisteredAgent, figures: readonly AgentStatistics[] = []): RegisteredAgent {
  const statistics = figures.find((one) => one.agent === agent.name);
  return agentSchema.parse({ ...agent, ...(statistics && { statistics }) });
}
