import { type LoopSetting, AgentLoop as WholeLoop } from "../../packages/agent/src/loop/agent-loop.ts";

export * from "../../packages/agent/src/loop/agent-loop.ts";

/** A loop that resumes after a crash as if no tool call had finished, and so repeats them. */
export class AgentLoop extends WholeLoop {
  constructor(setting: LoopSetting) {
    super(setting.interrupted ? { ...setting, record: withoutOutcomes(setting.record) } : setting);
  }
}

function withoutOutcomes(record: LoopSetting["record"]): LoopSetting["record"] {
  return {
    steps: record.steps.filter((step) => !("outcome" in step)),
    add: (step) => record.add(step),
    addLater: (step) => record.addLater(step),
  };
}
