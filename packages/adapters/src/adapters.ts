import { agUiAdapter } from "./ag-ui/ag-ui-routes.ts";
import { aiSdkAdapter } from "./ai-sdk/ai-sdk-adapter.ts";
import { mcpAdapter } from "./mcp/mcp-endpoint.ts";
import { openAiAdapter } from "./openai/openai-adapter.ts";
import { Problem, problemAnswer } from "./problem.ts";
import type { ProtocolAdapter, Refusal } from "./protocol-adapter.ts";

/** The adapters of all other protocols. */
export const ADAPTERS: readonly ProtocolAdapter[] = [openAiAdapter, agUiAdapter, mcpAdapter, aiSdkAdapter];

/** The adapter that serves a URL, if one does. */
export function adapterAt(url = ""): ProtocolAdapter | undefined {
  const [path = ""] = url.split("?");
  return ADAPTERS.find(({ paths }) => paths.test(path));
}

/** A refusal by the port's guard, in the format of the URL's protocol; undefined: no adapter serves the URL. */
export function guardRefusal(
  url: string,
  { status, message }: { readonly status: number; readonly message: string },
): Refusal | undefined {
  return adapterAt(url)?.refusal(new Problem(status === 403 ? "forbidden" : "malformed_request", message));
}

/** The problem as a response in the format of the URL's protocol. */
export function refusalAt(url: string, problem: Problem): Refusal {
  return adapterAt(url)?.refusal(problem) ?? problemAnswer(problem);
}
