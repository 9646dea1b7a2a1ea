import { SUPERVISOR } from "@parley/registry";
import type { Principal } from "@parley/sessions";
import { Hono } from "hono";
import type { AdapterEnvironment, AdapterHost } from "../adapter-host.ts";
import { OpenAiProblem } from "./openai-error.ts";

interface Model {
  readonly id: string;
  readonly object: "model";
  readonly created: number;
  readonly owned_by: string;
}

async function modelsFor({ agents }: AdapterHost, principal: Principal): Promise<readonly Model[]> {
  const up = (await agents.list(principal)).filter(({ state, enabled }) => state === "up" && enabled);
  const names = [SUPERVISOR, ...up.map(({ name }) => name).filter((name) => name !== SUPERVISOR)];
  return names.map((id) => ({ id, object: "model", created: 0, owned_by: "parley" }));
}

/** Refuses an unknown model; an agent that is down is known. */
export async function checkModel(host: AdapterHost, principal: Principal, model: string): Promise<void> {
  if (model === SUPERVISOR) return;
  const known = await host.agents.list(principal);
  if (known.some(({ name, enabled }) => name === model && enabled)) return;
  const names = (await modelsFor(host, principal)).map(({ id }) => id).join(", ");
  throw noModel(`${model}: there is ${names}`);
}

/** `GET /v1/models`: the agents as models. */
export function modelRoutes(host: AdapterHost): Hono<AdapterEnvironment> {
  const routes = new Hono<AdapterEnvironment>();
  routes.get("/v1/models", async (context) =>
    context.json({ object: "list", data: await modelsFor(host, context.var.principal) }),
  );
  routes.get("/v1/models/:model", async (context) => {
    const name = context.req.param("model");
    const model = (await modelsFor(host, context.var.principal)).find(({ id }) => id === name);
    if (model) return context.json(model);
    throw noModel(name);
  });
  return routes;
}

function noModel(name: string): OpenAiProblem {
  const named = { param: "model", code: "model_not_found" };
  return new OpenAiProblem("not_found", `There is no model ${name}`, named);
}
