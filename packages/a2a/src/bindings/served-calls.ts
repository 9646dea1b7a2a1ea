import { DIALECTS } from "../dialects/choose-dialect.ts";
import { type DialectVersion, OPERATIONS, type Operation } from "../dialects/dialect.ts";
import { REST_ROOT } from "./rest.ts";
import { legacyRestFormat, type RestFormat, restFormat } from "./rest-formats.ts";

/** One way to ask an agent for one operation over HTTP. */
export interface ServedCall {
  readonly binding: "JSONRPC" | "HTTP+JSON";
  readonly dialect: DialectVersion;
  readonly operation: Operation;
  /** That of JSON-RPC, or of HTTP. */
  readonly method: string;
  /** With names in braces for what it carries. */
  readonly path: string;
}

/** Every way, as the bindings' own tables have them: whoever tests all doors takes them from here. */
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
