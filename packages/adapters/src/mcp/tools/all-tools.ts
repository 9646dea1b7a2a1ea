import { SUPERVISOR } from "@parley/registry";
import type { AskableAgent } from "../../adapter-host.ts";
import type { McpCaller } from "../mcp-caller.ts";
import { McpError } from "../mcp-error.ts";
import { agentTool, askName, supervisorTool } from "./agent-tools.ts";
import type { McpTool } from "./mcp-tool.ts";
import { listSessions, readSession } from "./record-tools.ts";
import { answerApprovalTool, awaitAnswer, cancelTool, forkSession } from "./run-tools.ts";

/** Tools that are there whichever agents are. */
const LASTING = [listSessions, readSession, awaitAnswer, answerApprovalTool, cancelTool, forkSession];

/** What this caller can use now: the supervisor, each agent that is up, and the record; viewers only read. */
export async function toolsFor({ host, principal, identity }: McpCaller): Promise<readonly McpTool[]> {
  const agents = await host.agents.list(principal);
  const tools = [supervisorTool, ...agents.filter(isUp).map(agentTool), ...LASTING];
  return identity.role === "viewer" ? tools.filter(onlyReads) : tools;
}

/** The tool of this name, also where its agent is down just now: it says why it cannot. */
export async function toolNamed({ host, principal }: McpCaller, name: string): Promise<McpTool> {
  const lasting = [supervisorTool, ...LASTING].find(({ definition }) => definition.name === name);
  if (lasting) return lasting;
  const agents = await host.agents.list(principal);
  const agent = agents.find((one) => askName(one.name) === name && one.enabled);
  if (agent) return agentTool(agent);
  const names = [SUPERVISOR, ...agents.filter(isUp).map((one) => one.name)].map(askName);
  throw new McpError(-32_602, `There is no tool ${name}: agents are asked by ${names.join(", ")}`);
}

/** Whether it changes nothing, whoever uses it. */
export function onlyReads({ definition }: McpTool): boolean {
  return definition.annotations?.readOnlyHint === true;
}

/** All that clients are shown of agents, as one text: it changes when they have to list the tools again. */
export async function toolsFingerprint(caller: Pick<McpCaller, "host" | "principal">): Promise<string> {
  const agents = await caller.host.agents.list(caller.principal);
  return JSON.stringify(
    agents.filter(isUp).map(({ name, description, skills }) => [name, description, skills]),
  );
}

function isUp({ state, enabled }: AskableAgent): boolean {
  return state === "up" && enabled;
}
