import { z } from "@hono/zod-openapi";
import type { Api, ApiRoutes } from "../api-options.ts";
import { answer, newRoutes, taggedRoute } from "../route-parts.ts";
import { modelTestSchema, settingsSchema } from "../schemas/settings-schemas.ts";

const route = taggedRoute("Settings");

const readRoute = route("get", "/settings", {
  summary: "What this platform is set to; keys are never told",
  responses: answer(200, settingsSchema, "The settings"),
});

const testRoute = route("post", "/settings/model-test", {
  summary: "Take one small turn with a model, and tell how it went",
  request: {
    body: z.strictObject({
      model: z
        .string()
        .max(300)
        // Another address would be sent whatever key belongs to it.
        .regex(/^[a-z-]+(:[^@\s]+)?$/, "must be provider:model, or offline")
        .optional()
        .openapi({ description: "Without it, the model in use" }),
    }),
  },
  responses: answer(200, modelTestSchema, "How it went; what went wrong with the model is in `error`"),
});

/** Settings, to be read and tried; they are set in the environment and in files, by who runs the platform. */
export function settingsRoutes({ settings, audit }: Api): ApiRoutes {
  const routes = newRoutes();
  routes.openapi(readRoute, async (context) => context.json(await settings.read(), 200));
  routes.openapi(testRoute, async (context) => {
    const { model } = context.req.valid("json");
    const target = model ?? (await settings.read()).model.name;
    await audit.append(context.var.identity, { action: "settings.model_tested", target });
    const tested = await settings.testModel(model);
    return context.json(tested, 200);
  });
  return routes;
}
