import type { Approval, Configuration } from "@parley/client";

export type AskedTool = Pick<Approval, "agent" | "tool">;

/** Whether the session always allows this tool. */
export function isAllowed(config: Configuration, asked: AskedTool): boolean {
  return allowedTools(config).some((each) => isSame(each, asked));
}

/** The configuration without the permission for this tool. */
export function withoutAllowed(config: Configuration, asked: AskedTool): Configuration {
  return { ...config, allowedTools: allowedTools(config).filter((each) => !isSame(each, asked)) };
}

/** Whether both are about the same tool of the same agent. */
export function isSame(one: AskedTool, other: AskedTool): boolean {
  return one.agent === other.agent && one.tool === other.tool;
}

function allowedTools({ allowedTools: found }: Configuration): readonly AskedTool[] {
  return Array.isArray(found) ? found : [];
}
