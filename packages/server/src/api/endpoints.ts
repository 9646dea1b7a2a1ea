import { STATUS_CODES } from "node:http";
import { createRoute, OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { ApiEnvironment, ApiRoutes } from "./api-options.ts";
import { pathId } from "./schemas/parameters.ts";

type Shape = Readonly<Record<string, z.ZodType>>;
type Schema = z.ZodType | Shape;
type Nothing = Record<never, z.ZodType>;
type SchemaOf<Given extends Schema> = Given extends z.ZodType
  ? Given
  : Given extends Shape
    ? z.ZodObject<Given>
    : never;
type Parsed<Given extends Schema> = z.output<SchemaOf<Given>>;
type Written<Given extends Schema> = z.input<SchemaOf<Given>>;

type Immutable<Value> = Value extends object
  ? { readonly [Name in keyof Value]: Immutable<Value[Name]> }
  : Value;

/** The values of the names in braces, as in `/sessions/{id}`. */
type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & PathParameters<Rest>
  : unknown;

/** An endpoint as the OpenAPI document describes it; a request that does not fit the schemas is refused. */
interface Endpoint<Query extends Shape, Headers extends Shape, Body extends Schema, Answer extends Schema> {
  readonly summary: string;
  readonly description?: string;
  /** Schemas of path parameters that are not ids. */
  readonly params?: Shape;
  readonly query?: Query;
  readonly headers?: Headers;
  /** The JSON body; members that it does not name are refused. */
  readonly body?: Body;
  /** A body that is not JSON. */
  readonly content?: NonNullable<NonNullable<RouteConfig["request"]>["body"]>["content"];
  /** The JSON response; without it the handler returns nothing, or a `Response`. */
  readonly response?: Answer;
  /** By default 200, or 204 where there is no response schema. */
  readonly status?: 200 | 201;
  /** Describes the response. */
  readonly returns?: string;
  /** Responses beside the usual one. */
  readonly responses?: RouteConfig["responses"];
  /** False: the command takes no `Idempotency-Key`. */
  readonly isKeyed?: boolean;
}

interface EndpointRequest<
  Path extends string,
  Query extends Shape,
  Headers extends Shape,
  Body extends Schema,
> extends Pick<Context<ApiEnvironment>["var"], "principal" | "identity" | "key"> {
  readonly params: PathParameters<Path>;
  readonly query: Parsed<Query>;
  readonly headers: Parsed<Headers>;
  readonly body: Parsed<Body>;
  readonly context: Context<ApiEnvironment>;
}

/** An error, as RFC 9457 has it. */
const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    errors: z
      .array(z.object({ path: z.string().openapi({ example: "body.content" }), message: z.string() }))
      .optional(),
  })
  .openapi("Problem");

const REFUSALS = {
  default: {
    description: "What is wrong, and what to do about it",
    content: { "application/problem+json": { schema: problemSchema } },
  },
};

/** The response of an endpoint that streams events. */
export const eventStreamResponse = {
  200: { description: "Server-sent events", content: { "text/event-stream": { schema: z.string() } } },
};

/** Documents a JSON response. */
export function jsonResponse(description: string, schema: z.ZodType) {
  return { description, content: { "application/json": { schema } } };
}

/** Defines endpoints under a tag of the OpenAPI document: checks requests by their schemas, and writes what handlers return as JSON. */
export function taggedRoutes(tag: string) {
  const routes: ApiRoutes = new OpenAPIHono<ApiEnvironment>();

  function route<
    Path extends string,
    Query extends Shape = Nothing,
    Headers extends Shape = Nothing,
    Body extends Schema = Nothing,
    Answer extends Schema = z.ZodVoid,
  >(
    method: "get" | "post" | "put" | "patch" | "delete",
    path: Path,
    endpoint: Endpoint<Query, Headers, Body, Answer> & {
      readonly handle: (
        request: EndpointRequest<Path, Query, Headers, Body>,
      ) => Promise<Immutable<Written<Answer>> | Response> | Immutable<Written<Answer>> | Response;
    },
  ): void {
    const { summary, description, response, status = response ? 200 : 204 } = endpoint;
    const returns = endpoint.returns ?? STATUS_CODES[status] ?? "";
    const usual = response ? jsonResponse(returns, objectSchema(response)) : { description: returns };
    const others = endpoint.responses ?? {};
    const config: RouteConfig = {
      method,
      path,
      tags: [tag],
      summary,
      ...(description && { description }),
      request: requestSchemas(method, path, endpoint),
      responses: { ...(!(200 in others) && { [status]: usual }), ...others, ...REFUSALS },
    };
    routes.openapi(createRoute(config), async (context) => {
      const valid = (target: string): never => context.req.valid(target as never);
      const { principal, identity, key } = context.var;
      const request = { principal, identity, key, context: context as Context<ApiEnvironment> };
      const [params, query] = [valid("param"), valid("query")];
      const result = await endpoint.handle({
        ...request,
        params,
        query,
        headers: valid("header"),
        body: valid("json"),
      });
      // Not by `instanceof` alone: the marker of a response that was already sent is of another class.
      if (status === 204) return (result as Response | undefined) ?? context.body(null, 204);
      return result instanceof Response ? result : context.json(result as never, status);
    });
  }

  return { routes, route };
}

function requestSchemas(
  method: string,
  path: string,
  { params, query, headers, body, content, isKeyed = true }: Endpoint<Shape, Shape, Schema, Schema>,
): NonNullable<RouteConfig["request"]> {
  const names = path.match(/(?<=\{)\w+/g) ?? [];
  const key = method !== "get" && isKeyed && { "Idempotency-Key": z.string().min(1).max(200).optional() };
  const json = body && { "application/json": { schema: objectSchema(body, z.strictObject) } };
  const carried = content ?? json;
  return {
    ...(names.length > 0 && {
      params: z.object({ ...Object.fromEntries(names.map((name) => [name, pathId])), ...params }),
    }),
    ...(query && { query: z.object(query) }),
    ...((headers || key) && { headers: z.object({ ...key, ...headers }) }),
    ...(carried && { body: { content: carried, required: true } }),
  };
}

function objectSchema(given: Schema, object: (shape: Shape) => z.ZodType = z.object): z.ZodType {
  return given instanceof z.ZodType ? given : object(given);
}
