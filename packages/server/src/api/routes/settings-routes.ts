import { z } from "@hono/zod-openapi";
import type { Api, ApiRoutes } from "../api-options.ts";
import { taggedRoutes } from "../endpoints.ts";
import { modelTestSchema, settingsSchema } from "../schemas/settings-schemas.ts";

/** Settings, read-only: operators set them in the environment and in files. */
export function settingsRoutes({ settings, audit }: Api): ApiRoutes {
  const { routes, route } = taggedRoutes("Settings");

  route("get", "/settings", {
    summary: "Get the platform's settings, without keys",
    response: settingsSchema,
    handle: () => settings.read(),
  });

  route("post", "/settings/model-test", {
    summary: "Test a model with one short request",
    body: {
      model: z
        .string()
        .max(300)
        // Another address would receive the key of the named provider.
        .regex(/^[a-z-]+(:[^@\s]+)?$/, "must be provider:model, or offline")
        .optional()
        .describe("By default the model in use"),
    },
    response: modelTestSchema,
    returns: "The result; failures of the model are in `error`",
    isKeyed: false,
    handle: async ({ identity, body: { model } }) => {
      const target = model ?? (await settings.read()).model.name;
      await audit.append(identity, { action: "settings.model_tested", target });
      return settings.testModel(model);
    },
  });
  return routes;
}
