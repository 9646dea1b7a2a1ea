import { OpenAPIHono, type z } from "@hono/zod-openapi";
import type { ApiEnvironment, ApiRoutes } from "./api-options.ts";
import { problemSchema } from "./schemas/problem-schema.ts";

/** Routes to put behind others; what they refuse is told by whoever holds them. */
export function newRoutes(): ApiRoutes {
  return new OpenAPIHono<ApiEnvironment>();
}

/** An answer of JSON, for the document. */
export function jsonAnswer<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { "application/json": { schema } } };
}

/** A body of JSON that a request must have. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { content: { "application/json": { schema } }, required: true } as const;
}

/** What every route may answer besides. */
export const refusals = {
  default: {
    description: "What is wrong, and what to do",
    content: { "application/problem+json": { schema: problemSchema } },
  },
} as const;
