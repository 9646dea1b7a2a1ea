import type { Approval, Configuration } from "@parley/client";

/** A tool of an agent, as an approval is about it. */
export type AskedTool = Pick<Approval, "agent" | "tool">;

/** Whether the session allows what this is about without asking. */
export function isAllowed(config: Configuration, asked: AskedTool): boolean {
  return allowedTools(config).some((each) => isSame(each, asked));
}

/** The configuration under which this tool is asked about again. */
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
