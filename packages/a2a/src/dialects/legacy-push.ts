import { z } from "zod";
import type { Json, PushConfig } from "../protocol/model.ts";
import { MAX_ITEMS, optional, wireObject } from "./wire-schema.ts";

const text = z.string();

const authentication = wireObject({
  schemes: z.array(text).max(MAX_ITEMS).default([]),
  credentials: optional(text),
}).transform(({ schemes, credentials }) => ({
  // v1.0 has one scheme: of several the first is taken, of none the empty one stands for it.
  scheme: schemes[0] ?? "",
  ...(credentials !== undefined && { credentials }),
}));

/** A push config of v0.3; v0.1 has no id in it. */
export const legacyPushConfig: z.ZodType<PushConfig> = wireObject({
  id: optional(text),
  url: text,
  token: optional(text),
  authentication: optional(authentication),
});

/** A push config as v0.3 and v0.1 write it, without the task's id. */
export function encodeLegacyPushConfig(config: PushConfig, { withId }: { withId: boolean }): Json {
  const { id, url, token } = config;
  const auth = config.authentication;
  const schemes = auth?.scheme ? [auth.scheme] : [];
  return {
    ...(withId && id !== undefined && { id }),
    url,
    ...(token !== undefined && { token }),
    ...(auth && {
      authentication: { schemes, ...(auth.credentials !== undefined && { credentials: auth.credentials }) },
    }),
  };
}
