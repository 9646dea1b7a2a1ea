import { createRoute, OpenAPIHono, type RouteConfig, type z } from "@hono/zod-openapi";
import type { ApiEnvironment, ApiRoutes } from "./api-options.ts";
import { problemSchema } from "./schemas/problem-schema.ts";

/** Routes to put behind others; what they refuse is told by whoever holds them. */
export function newRoutes(): ApiRoutes {
  return new OpenAPIHono<ApiEnvironment>();
}

/** What a request may have; `body` is the schema of its JSON. */
type RequestParts = Omit<NonNullable<RouteConfig["request"]>, "body"> & { readonly body?: z.ZodType };

type JsonRequest<Parts> = Omit<Parts, "body"> &
  (Parts extends { readonly body: infer Schema extends z.ZodType }
    ? { body: { content: { "application/json": { schema: Schema } }; required: true } }
    : unknown);

/** Makes routes that the document lists under a tag. */
export function taggedRoute(tag: string) {
  return <
    Method extends RouteConfig["method"],
    Path extends string,
    const Responses extends RouteConfig["responses"],
    Parts extends RequestParts = object,
  >(
    method: Method,
    path: Path,
    about: { summary: string; description?: string; request?: Parts; responses: Responses },
  ) => {
    const { body: schema, ...request } = about.request ?? ({} as RequestParts);
    const body = schema && { body: { content: { "application/json": { schema } }, required: true } };
    const checked = { ...request, ...body } as JsonRequest<Parts>;
    return createRoute({ ...about, method, path, tags: [tag], request: checked });
  };
}

/** What every route may answer besides. */
export const refusals = {
  default: {
    description: "What is wrong, and what to do",
    content: { "application/problem+json": { schema: problemSchema } },
  },
} as const;

/** The answers of a route whose usual one is JSON. */
export function answer<Status extends number, Schema extends z.ZodType>(
  status: Status,
  schema: Schema,
  description: string,
) {
  const json = { description, content: { "application/json": { schema } } };
  return { [status]: json, ...refusals } as { [S in Status]: typeof json } & typeof refusals;
}

/** The answers of a route whose usual one says nothing. */
export function noContent(description: string) {
  return { 204: { description }, ...refusals };
}
