import type { WorkingTool } from "./converse.ts";
import { text, tool } from "./tool-definition.ts";

/** Agents as tools: each takes a request in words. */
export const crew: readonly WorkingTool[] = [
  tool(
    "harbour_pilot",
    "An agent that knows tides, harbours and ships.",
    { message: text },
    {
      run: ({ message }) => `The pilot heard ${String(message).length} characters.`,
    },
  ),
  tool(
    "galley_cook",
    "An agent that plans meals and writes shopping lists.",
    { message: text },
    {
      run: () => "Soup, then fish.",
    },
  ),
];

/** Takes a plan with an owner and an order for each step. */
export const planTool: WorkingTool = tool("write_plan", "Writes down the plan before it is carried out.", {
  steps: {
    type: "array",
    items: {
      type: "object",
      properties: { id: text, title: text, agent: text, dependencies: { type: "array", items: text } },
      required: ["id", "title", "dependencies"],
    },
  },
});
