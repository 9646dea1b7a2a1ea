import type { AgentCapabilities } from "@ag-ui/core";
import type { RegisteredAgent } from "../../api/schemas/agent-schemas.ts";

/** What a client may expect of an agent behind this door; without a name, of the supervisor. */
export function capabilitiesOf(
  agents: readonly RegisteredAgent[],
  { name, version }: { readonly name?: string | undefined; readonly version: string },
): AgentCapabilities {
  const agent = agents.find((one) => one.name === name);
  const subagents = agents.filter(({ state }) => state === "up");
  return {
    identity: {
      ...{ name: name ?? "supervisor", type: "parley", provider: "Parley", version },
      ...(agent?.description !== undefined && { description: agent.description }),
    },
    transport: { streaming: true, websocket: false, httpBinary: false, resumable: true },
    tools: { supported: true, parallelCalls: true, clientProvided: false },
    state: { snapshots: true, deltas: true, persistentState: false },
    multiAgent: {
      ...{ supported: true, delegation: true, handoffs: false },
      ...(name === undefined && {
        subagents: subagents.map((one) => ({
          name: one.name,
          ...(one.description !== undefined && { description: one.description }),
        })),
      }),
    },
    reasoning: { supported: true, streaming: true, encrypted: false },
    multimodal: { input: { image: true, audio: true, video: true, pdf: true, file: true } },
    humanInTheLoop: { supported: true, approvals: true, interrupts: true, approveWithEdits: true },
  };
}
