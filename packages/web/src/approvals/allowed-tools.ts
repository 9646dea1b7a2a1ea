import type { Approval, Configuration } from "@parley/client";

/** A tool of an agent, as an approval is about it. */
export type AskedTool = Pick<Approval, "agent" | "tool">;

/** The tools that a session's configuration allows without asking. */
export function allowedTools(config: Configuration): readonly AskedTool[] {
  const { allowedTools: found } = config as { readonly allowedTools?: readonly AskedTool[] };
  return Array.isArray(found) ? found : [];
}

/** Whether the session allows what this is about. */
export function isAllowed(config: Configuration, asked: AskedTool): boolean {
  return allowedTools(config).some((each) => isSame(each, asked));
}

/** The configuration with this tool allowed always. */
export function withAllowed(config: Configuration, { agent, tool }: AskedTool): Configuration {
  const added: AskedTool = { ...(agent !== undefined && { agent }), ...(tool !== undefined && { tool }) };
  return { ...config, allowedTools: [...othersThan(config, added), added] };
}

/** The configuration under which this tool is asked about again. */
export function withoutAllowed(config: Configuration, asked: AskedTool): Configuration {
  return { ...config, allowedTools: othersThan(config, asked) };
}

/** Whether both are about the same tool of the same agent. */
export function isSame(one: AskedTool, other: AskedTool): boolean {
  return one.agent === other.agent && one.tool === other.tool;
}

function othersThan(config: Configuration, asked: AskedTool): readonly AskedTool[] {
  return allowedTools(config).filter((each) => !isSame(each, asked));
}
