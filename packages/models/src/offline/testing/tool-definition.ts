import type { WorkingTool } from "./converse.ts";

export const text = { type: "string" } as const;
export const number = { type: "number" } as const;
export const integer = { type: "integer" } as const;
export const flag = { type: "boolean" } as const;
export const date = { type: "string", format: "date" } as const;

/** A tool of these properties, all required unless said otherwise; it says back its arguments unless it does more. */
export function tool(
  name: string,
  description: string,
  properties: Readonly<Record<string, object>>,
  options: { readonly required?: readonly string[]; readonly run?: WorkingTool["run"] } = {},
): WorkingTool {
  const { required = Object.keys(properties), run = (args) => args } = options;
  return {
    name,
    description,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    run,
  };
}
