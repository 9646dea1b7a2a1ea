import { z } from "@hono/zod-openapi";
import { requestKey } from "@parley/adapters";
import type { AgentStatistics } from "@parley/sessions";
import type { Context } from "hono";
import type { Api, ApiEnvironment, ApiRoutes } from "../api-options.ts";
import { keysetPage } from "../pages.ts";
import { answer, newRoutes, noContent, taggedRoute } from "../route-parts.ts";
import {
  agentSchema,
  credentialsSchema,
  newAgentSchema,
  type RegisteredAgent,
} from "../schemas/agent-schemas.ts";
import { skill } from "../schemas/message-bodies.ts";
import { commandHeaders, cursor, pageLimit, pathId } from "../schemas/parameters.ts";
import { next } from "../schemas/reading-schemas.ts";

const route = taggedRoute("Agents");
const params = z.object({ name: pathId });
const one = z.object({ agent: agentSchema });

const listRoute = route("get", "/agents", {
  summary: "The agents that can be spoken to",
  request: {
    query: z.object({
      limit: pageLimit(200, 100),
      cursor,
      skill: skill
        .optional()
        .openapi({ description: "Only those that are up and have this skill, the best first" }),
    }),
  },
  responses: answer(200, z.object({ agents: z.array(agentSchema), next }), "A page of agents"),
});

const addRoute = route("post", "/agents", {
  summary: "Add an agent by its URL",
  request: { headers: commandHeaders, body: newAgentSchema },
  responses: answer(201, one, "The agent as it was found"),
});

const getRoute = route("get", "/agents/{name}", {
  summary: "An agent, and how it has done",
  request: { params },
  responses: answer(200, one, "The agent as it is known"),
});

const changeRoute = route("patch", "/agents/{name}", {
  summary: "Enable, disable, set credentials (null: none)",
  request: {
    params,
    headers: commandHeaders,
    body: z.strictObject({
      enabled: z.boolean().optional(),
      credentials: credentialsSchema.nullable().optional(),
    }),
  },
  responses: answer(200, one, "The agent as it is now"),
});

const removeRoute = route("delete", "/agents/{name}", {
  summary: "Remove an agent",
  request: { params, headers: commandHeaders },
  responses: noContent("It is removed"),
});

const restoreRoute = route("post", "/agents/{name}/restore", {
  summary: "Take the removal of an agent back",
  request: { params, headers: commandHeaders },
  responses: answer(200, one, "The agent, with its credentials as they were"),
});

const checkRoute = route("post", "/agent-checks", {
  summary: "Look at an agent by its URL without adding it",
  request: { body: newAgentSchema },
  responses: answer(200, one, "The agent as it would be"),
});

const recheckRoute = route("post", "/agents/{name}/recheck", {
  summary: "Look at an agent now",
  request: { params },
  responses: answer(200, one, "The agent as it was found"),
});

/** The registry, with how each agent has done (S4.25). */
export function agentRoutes({ agents, sessions }: Api): ApiRoutes {
  const routes = newRoutes();
  const keyOf = ({ var: { principal, key } }: Context<ApiEnvironment>, asked: unknown) =>
    requestKey(principal, "agents", { key, asked });

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
    const asked = context.req.valid("json");
    const agent = await agents.add(context.var.identity, asked, keyOf(context, asked));
    return context.json({ agent: shown(agent) }, 201);
  });

  routes.openapi(changeRoute, async (context) => {
    const { name } = context.req.valid("param");
    const change = context.req.valid("json");
    const key = keyOf(context, { name, change });
    const agent = await agents.change(context.var.identity, name, change, key);
    return context.json({ agent: shown(agent) }, 200);
  });

  routes.openapi(removeRoute, async (context) => {
    const { name } = context.req.valid("param");
    await agents.remove(context.var.identity, name, keyOf(context, { remove: name }));
    return context.body(null, 204);
  });

  routes.openapi(restoreRoute, async (context) => {
    const { name } = context.req.valid("param");
    const agent = await agents.restore(context.var.identity, name, keyOf(context, { restore: name }));
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
