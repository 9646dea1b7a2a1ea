import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import { callState } from "./call-tokens.ts";
import { type CalledRun, isStateless, type McpClient } from "./mcp-caller.ts";

/** What may change at any moment is not to be kept by clients, and never by anybody for others. */
const NOT_KEPT = { ttlMs: 0, cacheScope: "private" } as const;
const KEPT_ANSWERS = new Set([
  "server/discover",
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);

/** How we name ourselves. */
export function serverInfo(version: string): { name: string; title: string; version: string } {
  return { name: "parley", title: "Parley", version };
}

/** A result with what the client's revision wants in each. */
export function stampedResult(client: McpClient, method: string, result: object): object {
  if (!isStateless(client)) return result;
  return { resultType: "complete", ...(KEPT_ANSWERS.has(method) && NOT_KEPT), ...result };
}

/** The result that asks the client's user first: the same call comes again, with answers and with what we know of it. */
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
