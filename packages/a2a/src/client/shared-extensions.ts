import type { AgentCard } from "../cards/agent-card.ts";
import type { DialectVersion } from "../dialects/dialect.ts";
import { RUN_EXTENSION } from "../extension/run-extension.ts";
import { A2AError } from "../protocol/errors.ts";

/** The extensions that the agent declares and we understand; throws when it needs one that we do not. */
export function sharedExtensions(card: AgentCard, understood: readonly string[]): readonly string[] {
  const known = new Set([RUN_EXTENSION, ...understood]);
  const declared = card.capabilities.extensions ?? [];
  const missing = declared.find(({ uri, required }) => required && !known.has(uri));
  if (!missing) return declared.map(({ uri }) => uri).filter((uri) => known.has(uri));
  const message = `The agent needs its callers to understand ${missing.uri}: name it among the extensions`;
  throw new A2AError("ExtensionSupportRequired", message, { extension: missing.uri });
}

/** The headers by which a dialect says its version and the extensions in use. */
export function protocolHeaders(
  dialect: DialectVersion,
  extensions: readonly string[],
): Readonly<Record<string, string>> {
  const isNewest = dialect === "1.0";
  const named = extensions.length > 0 && dialect !== "0.1";
  return {
    ...(isNewest && { "a2a-version": "1.0" }),
    ...(named && { [isNewest ? "a2a-extensions" : "x-a2a-extensions"]: extensions.join(", ") }),
  };
}
