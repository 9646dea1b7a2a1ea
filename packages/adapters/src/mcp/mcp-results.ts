import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import { callState } from "./call-tokens.ts";
import { type CalledRun, isStateless, type McpClient } from "./mcp-caller.ts";

/** Results change at any moment: clients must not cache them. */
const NO_CACHE = { ttlMs: 0, cacheScope: "private" } as const;
const CACHEABLE_METHODS = new Set([
  "server/discover",
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);

export function serverInfo(version: string): { name: string; title: string; version: string } {
  return { name: "parley", title: "Parley", version };
}

/** A result with the members that the client's revision requires. */
export function stampedResult(client: McpClient, method: string, result: object): object {
  if (!isStateless(client)) return result;
  return { resultType: "complete", ...(CACHEABLE_METHODS.has(method) && NO_CACHE), ...result };
}

/** The result that asks the client's user first: the client repeats the call with the answers and our token. */
export function inputRequired(
  forms: readonly (readonly [approvalId: string, form: ElicitRequestFormParams])[],
  run: CalledRun,
): object {
  const asked = forms.map(([id, params]) => [id, { method: "elicitation/create", params }]);
  return {
    resultType: "input_required",
    inputRequests: Object.fromEntries(asked),
    requestState: callState(run),
  };
}
