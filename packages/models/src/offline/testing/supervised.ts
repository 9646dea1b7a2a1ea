import { z } from "zod";
import { withBackground } from "../background.ts";
import { converse, type WorkingTool } from "./converse.ts";
import { text, tool } from "./tool-definition.ts";

/** An agent as a supervisor's tool: whoever does the work saw nothing of the conversation. */
export function agent(name: string, description: string, work: (request: string) => unknown): WorkingTool {
  return tool(name, description, { request: text }, { run: ({ request }) => work(String(request)) });
}

/** An agent that is an offline model with these tools. */
export function offlineAgent(
  name: string,
  description: string,
  tools: () => readonly WorkingTool[],
): WorkingTool {
  return agent(name, description, async (request) => (await converse(tools(), [request])).answers.join());
}

const plan = z.object({
  steps: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      agent: z.string(),
      request: z.string(),
      dependencies: z.array(z.string()),
    }),
  ),
});

/** A step of a plan as it is carried out. */
export type PlanStep = z.infer<typeof plan>["steps"][number];

interface Ended {
  readonly id: string;
  readonly agent: string;
  readonly state: "completed" | "failed" | "skipped";
  readonly result: string;
}

/** Carries out plans with these agents, in the order that their dependencies allow. */
export function carryOutPlan(agents: readonly WorkingTool[]): WorkingTool {
  const step = {
    type: "object",
    properties: {
      id: text,
      title: text,
      agent: { ...text, enum: agents.map(({ name }) => name) },
      request: text,
      dependencies: { type: "array", items: text },
    },
    required: ["id", "title", "agent", "request", "dependencies"],
    additionalProperties: false,
  };
  return tool(
    "carry_out_plan",
    "Makes a plan and carries it out: the steps are given to the agents, in parallel where they can be.",
    { steps: { type: "array", items: step, minItems: 1 } },
    {
      run: async (args) => {
        const ended: Ended[] = [];
        for (const one of plan.parse(args).steps) ended.push(await endOf(one, agents, ended));
        return { steps: ended };
      },
    },
  );
}

async function endOf(
  { id, agent: name, request, dependencies }: PlanStep,
  agents: readonly WorkingTool[],
  ended: readonly Ended[],
): Promise<Ended> {
  const before = ended.filter((other) => dependencies.includes(other.id));
  if (before.some(({ state }) => state !== "completed"))
    return { id, agent: name, state: "skipped", result: "" };
  const told = withBackground(request, { results: before.map(({ result }) => result) });
  try {
    const result = await agents.find((one) => one.name === name)?.run({ request: told });
    return { id, agent: name, state: "completed", result: String(result) };
  } catch (error) {
    return { id, agent: name, state: "failed", result: (error as Error).message };
  }
}
