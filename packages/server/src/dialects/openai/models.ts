import type { Principal } from "@parley/sessions";
import { SUPERVISOR } from "@parley/supervisor";
import { Hono } from "hono";
import type { Api, ApiEnvironment } from "../../api/api-options.ts";
import { OpenAiProblem } from "./openai-error.ts";

interface Model {
  readonly id: string;
  readonly object: "model";
  readonly created: number;
  readonly owned_by: string;
}

/** The supervisor, and each agent that is up, as a model. */
async function modelsFor({ agents }: Api, principal: Principal): Promise<readonly Model[]> {
  const up = (await agents.list(principal)).filter(({ state, enabled }) => state === "up" && enabled);
  const names = [SUPERVISOR, ...up.map(({ name }) => name).filter((name) => name !== SUPERVISOR)];
  return names.map((id) => ({ id, object: "model", created: 0, owned_by: "parley" }));
}

/** Refuses a model that there is not; an agent that is down is known. */
export async function checkModel(api: Api, principal: Principal, model: string): Promise<void> {
  if (model === SUPERVISOR) return;
  const known = await api.agents.list(principal);
  if (known.some(({ name, enabled }) => name === model && enabled)) return;
  const names = (await modelsFor(api, principal)).map(({ id }) => id).join(", ");
  throw new OpenAiProblem("not_found", `There is no model ${model}: there is ${names}`, {
    ...{ param: "model", code: "model_not_found" },
  });
}

/** `GET /v1/models`: whom one can talk to. */
export function modelRoutes(api: Api): Hono<ApiEnvironment> {
  const routes = new Hono<ApiEnvironment>();
  routes.get("/v1/models", async (context) =>
    context.json({ object: "list", data: await modelsFor(api, context.var.principal) }),
  );
  routes.get("/v1/models/:model", async (context) => {
    const name = context.req.param("model");
    const model = (await modelsFor(api, context.var.principal)).find(({ id }) => id === name);
    if (model) return context.json(model);
    throw new OpenAiProblem("not_found", `There is no model ${name}`, {
      param: "model",
      code: "model_not_found",
    });
  });
  return routes;
}
