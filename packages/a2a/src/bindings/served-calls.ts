import { DIALECTS } from "../dialects/choose-dialect.ts";
import { type DialectVersion, OPERATIONS, type Operation } from "../dialects/dialect.ts";
import { REST_ROOT } from "./rest.ts";
import { legacyRestFormat, type RestFormat, restFormat } from "./rest-formats.ts";

/** One operation over one HTTP binding in one dialect. */
export interface ServedCall {
  readonly binding: "JSONRPC" | "HTTP+JSON";
  readonly dialect: DialectVersion;
  readonly operation: Operation;
  /** That of JSON-RPC, or of HTTP. */
  readonly method: string;
  /** With names in braces for what it carries. */
  readonly path: string;
}

/** Every call that the HTTP bindings serve, from their own tables, for tests that must cover all of them. */
export function servedCalls(): readonly ServedCall[] {
  const overJsonRpc = DIALECTS.flatMap((dialect) =>
    OPERATIONS.flatMap((operation): ServedCall[] => {
      const method = dialect.methodOf(operation);
      if (method === undefined) return [];
      return [{ binding: "JSONRPC", dialect: dialect.version, operation, method, path: "/" }];
    }),
  );
  return [...overJsonRpc, ...overRest(restFormat), ...overRest(legacyRestFormat)];
}

function overRest({ dialect, routes }: RestFormat): ServedCall[] {
  return routes.calls.map(({ path, ...call }) => ({
    binding: "HTTP+JSON",
    dialect: dialect.version,
    ...call,
    path: REST_ROOT + path,
  }));
}
