import { createRoute, z } from "@hono/zod-openapi";
import type { Api, ApiRoutes } from "../api-options.ts";
import { jsonAnswer, jsonBody, newRoutes, refusals } from "../route-parts.ts";
import { modelTestSchema, settingsSchema } from "../schemas/settings-schemas.ts";

const tags = ["Settings"];

const readRoute = createRoute({
  ...{ method: "get", path: "/settings", tags, summary: "What this platform is set to; keys are never told" },
  responses: { 200: jsonAnswer(settingsSchema, "The settings"), ...refusals },
});

const testRoute = createRoute({
  ...{ method: "post", path: "/settings/model-test", tags },
  summary: "Take one small turn with a model, and tell how it went",
  request: {
    body: jsonBody(
      z.strictObject({
        model: z
          .string()
          .max(300)
          // Another address would be sent whatever key belongs to it.
          .regex(/^[a-z-]+(:[^@\s]+)?$/, "must be provider:model, or offline")
          .optional()
          .openapi({ description: "Without it, the model in use" }),
      }),
    ),
  },
  responses: {
    200: jsonAnswer(modelTestSchema, "How it went; what went wrong with the model is in `error`"),
    ...refusals,
  },
});

/** Settings, to be read and tried; they are set in the environment and in files, by who runs the platform. */
export function settingsRoutes({ settings, audit }: Api): ApiRoutes {
  const routes = newRoutes();
  routes.openapi(readRoute, async (context) => context.json(await settings.read(), 200));
  routes.openapi(testRoute, async (context) => {
    const { model } = context.req.valid("json");
    const target = model ?? (await settings.read()).model.name;
    await audit.intend(context.var.identity, { action: "settings.model_tested", target });
    const tested = await settings.testModel(model);
    return context.json(tested, 200);
  });
  return routes;
}
