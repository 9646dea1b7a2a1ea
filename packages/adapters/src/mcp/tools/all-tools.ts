import { SUPERVISOR } from "@parley/registry";
import type { AskableAgent } from "../../adapter-host.ts";
import type { McpCaller } from "../mcp-caller.ts";
import { McpError } from "../mcp-error.ts";
import { agentTool, askName, supervisorTool } from "./agent-tools.ts";
import type { McpTool } from "./mcp-tool.ts";
import { listSessions, readSession } from "./record-tools.ts";
import { answerApprovalTool, awaitAnswer, cancelTool, forkSession } from "./run-tools.ts";

/** The tools that do not depend on agents. */
const STATIC_TOOLS = [listSessions, readSession, awaitAnswer, answerApprovalTool, cancelTool, forkSession];

/** The caller's tools: the supervisor, each agent that is up, and the record; viewers only read. */
export async function toolsFor({ host, principal, identity }: McpCaller): Promise<readonly McpTool[]> {
  const agents = await host.agents.list(principal);
  const tools = [supervisorTool, ...agents.filter(isUp).map(agentTool), ...STATIC_TOOLS];
  return identity.role === "viewer" ? tools.filter(onlyReads) : tools;
}

/** The tool of this name, also where its agent is down: calling it says so. */
export async function findTool({ host, principal }: McpCaller, name: string): Promise<McpTool> {
  const lasting = [supervisorTool, ...STATIC_TOOLS].find(({ definition }) => definition.name === name);
  if (lasting) return lasting;
  const agents = await host.agents.list(principal);
  const agent = agents.find((one) => askName(one.name) === name && one.enabled);
  if (agent) return agentTool(agent);
  const names = [SUPERVISOR, ...agents.filter(isUp).map((one) => one.name)].map(askName);
  throw new McpError(-32_602, `There is no tool ${name}: agents are asked by ${names.join(", ")}`);
}

/** Whether the tool changes nothing. */
export function onlyReads({ definition }: McpTool): boolean {
  return definition.annotations?.readOnlyHint === true;
}

/** A text that changes when clients have to list the tools again. */
export async function toolsFingerprint(caller: Pick<McpCaller, "host" | "principal">): Promise<string> {
  const agents = await caller.host.agents.list(caller.principal);
  return JSON.stringify(
    agents.filter(isUp).map(({ name, description, skills }) => [name, description, skills]),
  );
}

function isUp({ state, enabled }: AskableAgent): boolean {
  return state === "up" && enabled;
}
