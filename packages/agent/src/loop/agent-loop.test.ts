import type { Model, ModelEvent } from "@parley/models";
import { expect, it } from "vitest";
import { AgentLoop } from "./agent-loop.ts";
import type { Step } from "./step.ts";
import type { Tool, ToolBox, ToolReturn } from "./tool-box.ts";

/** What a turn with one call led to, in order: what was committed before the call, what with something else. */
async function happened(tool: Partial<Tool>, answer: Partial<ToolReturn>): Promise<string[]> {
  const log: string[] = [];
  const steps: Step[] = [];
  const note = (how: string) => (step: Step) => {
    steps.push(step);
    log.push(`${how} ${Object.keys(step)[0]}`);
  };
  const waiting = note("committed");
  const record = { steps, add: async (step: Step) => waiting(step), addLater: note("noted") };
  const call = { id: "1", tool: "ask", arguments: {}, text: "{}" };
  const model: Model = {
    name: "test:one-call",
    async *turn(): AsyncGenerator<ModelEvent> {
      if (log.length === 0) yield { type: "tool-call", call };
      yield { type: "end", reason: "stop", usage: {} };
    },
  };
  const described = { name: "ask", description: "Asks.", inputSchema: {} };
  const toolBox: ToolBox = {
    tools: () => [{ ...described, approval: "always", repeatable: true, ...tool }],
    troubles: () => [],
    async call() {
      log.push("called");
      return { outcome: "succeeded", text: "", ...answer };
    },
  };
  const loop = new AgentLoop({
    ...{ model, system: "", messages: [{ role: "user" as const, text: "go" }], toolBox, record },
    limits: { steps: 5, seconds: 5, tokens: 1_000, parallel: 1 },
    thinking: false,
    signal: new AbortController().signal,
    incoming: async () => [],
  });
  await loop.run(async () => {});
  return log;
}

it("commits a turn before its calls are made, and their outcomes before the next turn", async () => {
  const turns = ["committed turn", "called", "committed outcome", "noted turn"];
  expect(await happened({}, {})).toEqual(turns);
});

it("leaves the commit of a turn to a tool that notes its beginning, and that of an answer to the task's end", async () => {
  const turns = ["noted turn", "called", "noted outcome"];
  expect(await happened({ notesBeginning: true }, { answers: true })).toEqual(turns);
});
