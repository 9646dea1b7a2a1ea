import { ofStep } from "./requirement.ts";

/** The first seed: client, supervisor, sub-agent, tools. */
export const eventFlow = [
  ...ofStep("a2a", [
    ["S0.2", "message/stream by POST is answered as SSE"],
    ["S0.5", "The task event comes once, submitted, with id, contextId and the whole history"],
    ["S0.16", "Envelopes are exactly as written; kind is task, artifact-update or status-update"],
    ["S0.17", "The append pattern: first chunk, later chunks, what stands alone"],
    ["S0.18", "600 and more events for one small question flow without trouble"],
  ]),
  ...ofStep("agent", [
    ["S0.3", "The model can be swapped: Claude, GPT, Gemini, any compatible endpoint, the offline one"],
    ["S0.12", "Tokens as status updates are understood, and can be spoken"],
    ["S0.13", "A sub-agent tells of its tool calls"],
    ["S0.14", "current_result closes a sub-agent's answer with lastChunk"],
  ]),
  ...ofStep("supervisor", [
    ["S0.1", "The chain from client to tools"],
    ["S0.4", "Six phases in order"],
    ["S0.6", "execution_plan_streaming, token by token"],
    ["S0.7", "execution_plan_update, the whole plan once it is complete"],
    ["S0.8", "tool_notification_start, an artifact of its own"],
    ["S0.9", "tool_notification_complete, with outcome and duration"],
    ["S0.10", "streaming_result: the answer's tokens forwarded under one id"],
    ["S0.11", "partial_result: the complete text, once"],
    ["S0.15", "A final status update on both hops"],
    ["S0.20", "The document's curl commands work against supervisor and sub-agent"],
  ]),
  ...ofStep("clients", [["S0.19", "A frontend that creates, appends and notifies from these events"]]),
];
