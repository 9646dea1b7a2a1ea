import { z } from "@hono/zod-openapi";
import { requestKey } from "@parley/adapters";
import type { AgentStatistics, Principal } from "@parley/sessions";
import type { Api, ApiRoutes } from "../api-options.ts";
import { taggedRoutes } from "../endpoints.ts";
import { keysetPage } from "../pages.ts";
import {
  agentSchema,
  credentialsSchema,
  newAgentSchema,
  type RegisteredAgent,
} from "../schemas/agent-schemas.ts";
import { skill } from "../schemas/message-bodies.ts";
import { cursor, next, pageLimit } from "../schemas/parameters.ts";

const response = { agent: agentSchema };

/** The registry, with how each agent has done (S4.25). */
export function agentRoutes({ agents, sessions }: Api): ApiRoutes {
  const { routes, route } = taggedRoutes("Agents");
  const keyOf = ({ principal, key }: { principal: Principal; key: string | undefined }, asked: unknown) =>
    requestKey(principal, "agents", { key, asked });

  route("get", "/agents", {
    summary: "List agents",
    query: {
      limit: pageLimit(200, 100),
      cursor,
      skill: skill.optional().describe("Only agents that are up and have this skill, best first"),
    },
    response: { agents: z.array(agentSchema), next },
    handle: async ({ principal, query }) => {
      const known = await agents.list(principal, query.skill);
      // Skilled agents are ordered by rank, all agents by name.
      const positionOf = (agent: RegisteredAgent) => ({
        at: query.skill === undefined ? 0 : -known.indexOf(agent),
        id: agent.name,
      });
      const found = keysetPage(known, positionOf, query);
      const figures = await sessions.statistics(principal);
      return { agents: found.page.map((agent) => agentView(agent, figures)), next: found.next };
    },
  });

  route("get", "/agents/{name}", {
    summary: "Get an agent and its statistics",
    response,
    handle: async (request) => {
      const agent = await agents.get(request.principal, request.params.name);
      return { agent: agentView(agent, await sessions.statistics(request.principal)) };
    },
  });

  route("post", "/agents", {
    summary: "Add an agent by its URL",
    body: newAgentSchema,
    response,
    status: 201,
    handle: async (request) => {
      const { identity, body } = request;
      return { agent: agentView(await agents.add(identity, body, keyOf(request, body))) };
    },
  });

  route("patch", "/agents/{name}", {
    summary: "Enable or disable an agent, or set its credentials",
    body: {
      enabled: z.boolean().optional(),
      credentials: credentialsSchema.nullable().optional().describe("`null` removes them"),
    },
    response,
    handle: async (request) => {
      const { name } = request.params;
      const key = keyOf(request, { name, change: request.body });
      return { agent: agentView(await agents.change(request.identity, name, request.body, key)) };
    },
  });

  route("delete", "/agents/{name}", {
    summary: "Remove an agent",
    handle: async (request) => {
      const { name } = request.params;
      await agents.remove(request.identity, name, keyOf(request, { remove: name }));
    },
  });

  route("post", "/agents/{name}/restore", {
    summary: "Restore a removed agent with its credentials",
    response,
    handle: async (request) => {
      const { name } = request.params;
      return {
        agent: agentView(await agents.restore(request.identity, name, keyOf(request, { restore: name }))),
      };
    },
  });

  route("post", "/agent-checks", {
    summary: "Check an agent by its URL without adding it",
    body: newAgentSchema,
    response,
    isKeyed: false,
    handle: async ({ principal, body }) => ({ agent: agentView(await agents.check(principal, body)) }),
  });

  route("post", "/agents/{name}/recheck", {
    summary: "Check an agent now",
    response,
    isKeyed: false,
    handle: async ({ principal, params }) => ({
      agent: agentView(await agents.recheck(principal, params.name)),
    }),
  });

  return routes;
}

/** The documented fields only, whatever else a registry stores with its agents. */
function agentView(agent: RegisteredAgent, figures: readonly AgentStatistics[] = []): RegisteredAgent {
  const statistics = figures.find((one) => one.agent === agent.name);
  return agentSchema.parse({ ...agent, ...(statistics && { statistics }) });
}
