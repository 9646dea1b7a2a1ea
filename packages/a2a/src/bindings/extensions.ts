import type { AgentExtension } from "../cards/agent-card.ts";
import { A2AError } from "../protocol/errors.ts";

/** The extensions that headers of a request name, each once. */
export function namedExtensions(headers: readonly string[]): string[] {
  const named = headers.flatMap((text) => text.split(","));
  return [...new Set(named.map((uri) => uri.trim()).filter((uri) => uri !== ""))];
}

/** The extensions that a request named and the agent has, in the order in which they were named. */
export function activeExtensions(
  requested: readonly string[],
  supported: readonly AgentExtension[] = [],
): string[] {
  const missing = supported.filter(({ uri, required }) => required && !requested.includes(uri));
  if (missing.length > 0) {
    const uris = missing.map(({ uri }) => uri).join(", ");
    const message = `This agent needs the extension ${uris}: name it in the header A2A-Extensions`;
    throw new A2AError("ExtensionSupportRequired", message, { extensions: uris });
  }
  return requested.filter((uri) => supported.some((it) => it.uri === uri));
}
