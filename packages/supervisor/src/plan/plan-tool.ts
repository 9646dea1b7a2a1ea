import type { ToolDefinition } from "@parley/models";
import { oneLine } from "./one-line.ts";
import { MAX_STEPS } from "./plan.ts";

const MAX_DESCRIPTION_LENGTH = 200;

/** The schema of what an agent is asked, in plans and in direct calls. */
export const REQUEST_SCHEMA = {
  type: "string",
  description: "What the agent is told: everything it needs, since it knows nothing of this conversation.",
};

/** The tool by which a model makes and runs a plan. */
export const PLAN_TOOL = "carry_out_plan";

export function planTool(agents: readonly { name: string; description: string }[]): ToolDefinition {
  const known = agents.map(
    ({ name, description }) => `${name}: ${oneLine(description.slice(0, MAX_DESCRIPTION_LENGTH))}`,
  );
  const properties = {
    id: { type: "string", description: 'A short name of the step, such as "1".' },
    title: { type: "string", description: "What the user reads: a few words that say what is done." },
    agent: {
      type: "string",
      enum: agents.map(({ name }) => name),
      description: `Who does it. ${known.join("\n")}`,
    },
    request: REQUEST_SCHEMA,
    dependencies: {
      type: "array",
      items: { type: "string" },
      description: "The ids of the steps whose results the agent is given along with its request.",
    },
  };
  return {
    name: PLAN_TOOL,
    description:
      "Carries out a plan of several steps by several agents, and returns the result of each step. " +
      "Steps that do not depend on each other are done at the same time. " +
      "The user sees the plan. For one request to one agent, call the agent itself.",
    inputSchema: {
      type: "object",
      properties: {
        steps: {
          type: "array",
          minItems: 1,
          maxItems: MAX_STEPS,
          items: {
            type: "object",
            properties,
            required: Object.keys(properties),
            additionalProperties: false,
          },
        },
      },
      required: ["steps"],
      additionalProperties: false,
    },
  };
}
