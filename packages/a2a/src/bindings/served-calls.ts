import { DIALECTS } from "../dialects/choose-dialect.ts";
import type { DialectVersion, Operation } from "../dialects/dialect.ts";
import { legacyRestForm } from "./legacy-rest/legacy-rest-form.ts";
import { REST_ROOT, restForm } from "./rest.ts";
import type { RestForm } from "./rest-routes.ts";

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

const OPERATIONS: Readonly<Record<Operation, true>> = {
  send: true,
  stream: true,
  get: true,
  list: true,
  cancel: true,
  subscribe: true,
  createPush: true,
  getPush: true,
  listPush: true,
  deletePush: true,
  extendedCard: true,
};

/** Every way, as the bindings' own tables have them: whoever tests all doors takes them from here. */
export function servedCalls(): readonly ServedCall[] {
  const overJsonRpc = DIALECTS.flatMap((dialect) =>
    (Object.keys(OPERATIONS) as Operation[]).flatMap((operation): ServedCall[] => {
      const method = dialect.methodOf(operation);
      if (method === undefined) return [];
      return [{ binding: "JSONRPC", dialect: dialect.version, operation, method, path: "/" }];
    }),
  );
  return [...overJsonRpc, ...overRest(restForm), ...overRest(legacyRestForm)];
}

function overRest({ dialect, routes }: RestForm): ServedCall[] {
  return routes.calls.map(({ path, ...call }) => ({
    binding: "HTTP+JSON",
    dialect: dialect.version,
    ...call,
    path: REST_ROOT + path,
  }));
}
