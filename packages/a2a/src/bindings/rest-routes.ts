import type { Operation } from "../dialects/dialect.ts";
import { A2AError } from "../protocol/errors.ts";

type Methods = Readonly<Record<string, Operation>>;
type Paths = Readonly<Record<string, Methods>>;

/** The first path that fits is taken, so a verb stands before the bare id that would swallow it. */
const PATHS: Paths = {
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

/** The path is served, but not with this method. */
export class MethodNotAllowedError extends A2AError {
  /** The methods that are, as the header `Allow` lists them. */
  readonly allowed: string;

  constructor(method: string, path: string, allowed: string) {
    super("MethodNotFound", `${path} does not take ${method} but ${allowed}`, { method, path, allowed });
    this.allowed = allowed;
  }
}

/** Finds the operation of a path below these prefixes; throws one of the two errors above. */
export function restRouter(
  prefixes: readonly string[],
  paths: Paths,
): (method: string, path: string) => RestRoute {
  const routes = prefixes.flatMap((prefix) =>
    Object.entries(paths).map(([path, methods]) => ({ pattern: patternOf(prefix + path), methods })),
  );
  return (method, path) => {
    for (const { pattern, methods } of routes) {
      const match = pattern.exec(path);
      if (!match) continue;
      const operation = Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (!operation) throw new MethodNotAllowedError(method, path, Object.keys(methods).join(", "));
      return { operation, named: decoded(match.groups ?? {}, path) };
    }
    throw new UnknownPathError(path);
  };
}

/**
 * Finds the operation of a path of v1.0. Without a tenant first: a tenant cannot take a path that has a meaning of
 * its own.
 */
export const routeOf = restRouter(["", "/{tenant}"], PATHS);

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
