import type { Operation } from "../dialects/dialect.ts";
import { A2AError } from "../protocol/errors.ts";
import { MethodNotAllowedError } from "./http-error.ts";

type Methods = Readonly<Record<string, Operation>>;
/** The first path that fits is taken, so a verb stands before the bare id that would swallow it. */
type Paths = Readonly<Record<string, Methods>>;

/** What a method and a path ask for. */
interface RestRoute {
  readonly operation: Operation;
  /** The path's parameters: ids and the tenant, under the request's member names. */
  readonly named: Readonly<Record<string, string>>;
}

/** Nothing is served at this path. */
export class UnknownPathError extends A2AError {
  constructor(path: string) {
    super("MethodNotFound", `There is nothing at ${path}`, { path });
  }
}

/** The operations of a set of paths. */
export interface RestRouter {
  /** All of them, with the path as it is written, and one method each. */
  readonly calls: readonly {
    readonly method: string;
    readonly path: string;
    readonly operation: Operation;
  }[];
  /** Finds the operation of a path; throws UnknownPathError or MethodNotAllowedError. */
  routeOf(method: string, path: string): RestRoute;
  /** The methods of a path, as the header `Allow` lists them; throws UnknownPathError. */
  allowedMethods(path: string): string;
}

/** Finds operations by paths below these prefixes. */
export function restRouter(prefixes: readonly string[], paths: Paths): RestRouter {
  const routes = prefixes.flatMap((prefix) =>
    Object.entries(paths).map(([path, methods]) => ({
      pattern: patternOf(prefix + path),
      methods: withHead(methods),
    })),
  );
  const find = (path: string) => {
    for (const { pattern, methods } of routes) {
      const match = pattern.exec(path);
      if (match) return { methods, groups: match.groups ?? {} };
    }
    throw new UnknownPathError(path);
  };
  return {
    calls: prefixes.flatMap((prefix) =>
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ method, path: prefix + path, operation })),
      ),
    ),
    allowedMethods: (path) => listed(find(path).methods),
    routeOf(method, path) {
      const { methods, groups } = find(path);
      const operation = Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (!operation) throw new MethodNotAllowedError(method, path, listed(methods));
      return { operation, named: decoded(groups, path) };
    },
  };
}

// Whatever answers a GET at once answers a HEAD too; of a stream there is no head.
function withHead(methods: Methods): Methods {
  const { GET } = methods;
  return GET && GET !== "subscribe" ? { ...methods, HEAD: GET } : methods;
}

function listed(methods: Methods): string {
  return [...Object.keys(methods), "OPTIONS"].join(", ");
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
}

function decoded(groups: Readonly<Record<string, string>>, path: string): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    // An invalid percent-encoding names nothing that we ever handed out.
    throw new UnknownPathError(path);
  }
}
