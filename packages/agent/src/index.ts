export type { AgentDefinition, AgentLimits, AgentPort, AgentSkill } from "./files/agent-definition.ts";
export * from "./files/agent-file.ts";
export type { AgentFiles } from "./files/agent-files.ts";
export * from "./files/agent-folder.ts";
export { type ApprovalMode, type ApprovalRules, approvalFor } from "./files/approval.ts";
export type { Variables } from "./files/expand-variables.ts";
export * from "./files/file-problem.ts";
export * from "./files/mcp-file.ts";
export type { AgentPlatform } from "./host/agent-platform.ts";
export { AgentService, type AgentServiceOptions } from "./host/agent-service.ts";
export { CurrentModel } from "./host/current-model.ts";
export { HostedAgent } from "./host/hosted-agent.ts";
export { AgentExecutor, type AgentSetup, DEFAULT_LIMITS } from "./loop/agent-executor.ts";
export { AgentLoop, type LoopLimits, type LoopSetting, type Tell } from "./loop/agent-loop.ts";
export { isYes } from "./loop/approval-answer.ts";
export { Conversation } from "./loop/conversation.ts";
export { inputRequired } from "./loop/event-teller.ts";
export type { ExecutionEvent } from "./loop/execution-event.ts";
export { McpToolBox } from "./loop/mcp-tool-box.ts";
export { modelMessage, snapshotMessages } from "./loop/model-messages.ts";
export { type Step, type StepRecord, stepRecord, stepsIn } from "./loop/step.ts";
export type { Tool, ToolBox, ToolRequest, ToolReturn, WaitingCall } from "./loop/tool-box.ts";
export type { ToolCallOptions, ToolProgress } from "./mcp/mcp-connection.ts";
export * from "./mcp/mcp-errors.ts";
export * from "./mcp/mcp-servers.ts";
export type { McpTool, ToolAnnotations } from "./mcp/mcp-tool.ts";
export { ProcessGroup } from "./mcp/process-group.ts";
export type { ResultBounds } from "./mcp/read-tool-result.ts";
export type * from "./mcp/server-configuration.ts";
export type * from "./mcp/server-state.ts";
export type * from "./mcp/tool-result.ts";
export { withEnvironmentFile } from "./models/environment-file.ts";
export type * from "./models/model.ts";
export * from "./models/model-errors.ts";
export {
  defaultModelName,
  type Environment,
  type OpenModelOptions,
  openModel,
  type ProviderStanding,
  providerStandings,
} from "./models/open-model.ts";
export { type RetryOptions, retrying } from "./models/retrying.ts";
export { OFFLINE_MODEL_PATH, offlineModelListener } from "./offline/endpoint/offline-model-listener.ts";
export { offlineModel } from "./offline/offline-model.ts";
