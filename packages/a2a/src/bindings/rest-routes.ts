import type { Operation } from "../dialects/dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import { MethodNotAllowedError } from "./http-error.ts";

type Methods = Readonly<Record<string, Operation>>;

/** The first path that fits is taken, so a verb stands before the bare id that would swallow it. */
const PATHS: Readonly<Record<string, Methods>> = {
  "/message:send": { POST: "send" },
  "/message:stream": { POST: "stream" },
  "/tasks": { GET: "list" },
  "/tasks/{id}:cancel": { POST: "cancel" },
  "/tasks/{id}:subscribe": { GET: "subscribe", POST: "subscribe" },
  "/tasks/{id}": { GET: "get" },
  "/tasks/{taskId}/pushNotificationConfigs": { GET: "listPush", POST: "createPush" },
  "/tasks/{taskId}/pushNotificationConfigs/{id}": { GET: "getPush", DELETE: "deletePush" },
  "/extendedAgentCard": { GET: "extendedCard" },
};

// Without a tenant first: a tenant cannot take a path that has a meaning of its own.
const ROUTES = ["", "/{tenant}"].flatMap((prefix) =>
  Object.entries(PATHS).map(([path, methods]) => ({
    pattern: patternOf(prefix + path),
    methods: withHead(methods),
  })),
);

// Whatever answers a GET at once answers a HEAD too; of a stream there is no head.
function withHead(methods: Methods): Methods {
  const { GET } = methods;
  return GET && GET !== "subscribe" ? { ...methods, HEAD: GET } : methods;
}

/** What a method and a path ask for. */
export interface RestRoute {
  readonly operation: Operation;
  /** What the path says: ids and the tenant, under the names that the request has for them. */
  readonly named: Readonly<Record<string, string>>;
}

/** Nothing is served at this path. */
export class UnknownPathError extends A2AError {
  constructor(path: string) {
    super("MethodNotFound", `There is nothing at ${path}`, { path });
  }
}

/** Finds the operation of a path below the binding's root; throws UnknownPathError or MethodNotAllowedError. */
export function routeOf(method: string, path: string): RestRoute {
  const { methods, groups } = find(path);
  const operation = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!operation) throw new MethodNotAllowedError(method, path, listed(methods));
  return { operation, named: decoded(groups, path) };
}

/** The methods of a path, as the header `Allow` lists them; throws UnknownPathError. */
export function allowedMethods(path: string): string {
  return listed(find(path).methods);
}

function listed(methods: Methods): string {
  return [...Object.keys(methods), "OPTIONS"].join(", ");
}

function find(path: string): { methods: Methods; groups: Readonly<Record<string, string>> } {
  for (const { pattern, methods } of ROUTES) {
    const match = pattern.exec(path);
    if (match) return { methods, groups: match.groups ?? {} };
  }
  throw new UnknownPathError(path);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
}

function decoded(groups: Readonly<Record<string, string>>, path: string): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    // A percent sign that encodes nothing: no client of ours has been given such a path.
    throw new UnknownPathError(path);
  }
}
