import { silentObserver, type TaskObserver } from "@parley/a2a";
import type { Journal } from "@parley/journal";
import type { Model } from "@parley/models";
import { openModel } from "@parley/models";
import { compatibleWire } from "@parley/models/testing/compatible-wire.ts";
import {
  type Answer,
  type ProviderServer,
  providerServer,
  streamed,
} from "@parley/models/testing/provider-server.ts";
import type { WireTurn } from "@parley/models/testing/wire.ts";
import type { AgentDefinition } from "../../files/agent-definition.ts";
import type { ApprovalRules } from "../../files/approval.ts";
import type { McpServers } from "../../mcp/mcp-servers.ts";
import type { McpServerEvent } from "../../mcp/server-state.ts";
import { runningServers, scripted } from "../../mcp/testing/running-servers.ts";
import { AgentExecutor } from "../agent-executor.ts";
import { McpToolBox } from "../mcp-tool-box.ts";
import { openJournal, WorkingAgent } from "./working-agent.ts";

/** What a model says in one turn, or how its endpoint answers instead. */
export type Turn = Partial<WireTurn> | Answer;

export interface AtWork {
  readonly agent: WorkingAgent;
  readonly provider: ProviderServer;
  readonly servers: McpServers;
  /** What its MCP server did and wrote to its log. */
  readonly events: readonly McpServerEvent[];
  readonly journal: Journal;
}

export interface Circumstances {
  readonly definition?: Partial<AgentDefinition>;
  readonly approval?: ApprovalRules;
  readonly journal?: Journal;
  readonly observer?: TaskObserver;
  /** Chunks are joined under load, as they are in the platform; otherwise tests can count on each. */
  readonly coalesce?: boolean;
  /** Its MCP server takes a moment to start: false where it has none. */
  readonly tools?: boolean;
  /** In place of the one that takes these turns. */
  readonly model?: Model;
}

const ALWAYS: ApprovalRules = { default: "always", tools: [] };

/** An agent with a real MCP server called `it`, whose model is a local endpoint that takes these turns one by one. */
export async function agentAtWork(
  turns: readonly [Turn, ...Turn[]],
  circumstances: Circumstances = {},
): Promise<AtWork> {
  const { definition, approval = ALWAYS, observer = silentObserver, tools = true } = circumstances;
  const { coalesce = false } = circumstances;
  const [first, ...rest] = turns;
  const provider = await providerServer(answerOf(first), ...rest.map(answerOf));
  const { servers, events } = await runningServers(tools ? { it: scripted() } : {});
  const model = circumstances.model ?? modelAt(provider.url);
  const journal = circumstances.journal ?? (await openJournal("memory"));
  const whole = definitionOf({ approval, ...definition });
  const setup = { definition: whole, model, toolBox: new McpToolBox(servers, approval, whole.limits) };
  const agent = new WorkingAgent(new AgentExecutor(() => setup), journal, { observer, coalesce });
  return { agent, provider, servers, events, journal };
}

/** The provider's real code, at this address. */
export function modelAt(url: string): Model {
  return openModel(compatibleWire.name, { environment: compatibleWire.environment(url, "key") });
}

/** An agent's definition, in all that is not given as a file would have it that says nothing. */
export function definitionOf(given: Partial<AgentDefinition>): AgentDefinition {
  return {
    file: "it.md",
    name: "it",
    description: "It.",
    version: "1.0.0",
    skills: [],
    outputModes: [],
    mcpServers: {},
    approval: ALWAYS,
    limits: {},
    thinking: false,
    tokens: "artifact",
    instructions: "Be brief.",
    ...given,
  };
}

/** A call of a tool of `it`. */
export function calling(id: string, tool: string, args: object | string = {}) {
  return { id, tool: `it__${tool}`, pieces: [typeof args === "string" ? args : JSON.stringify(args)] };
}

function answerOf(turn: Turn): Answer {
  if (typeof turn === "function") return turn;
  const end = turn.calls ? "tool-calls" : "stop";
  return streamed(compatibleWire.frames({ end, ...turn }));
}

/** The messages that the model was shown in its newest turn. */
export function shown({ requests }: ProviderServer): Record<string, unknown>[] {
  return (requests.at(-1)?.body as { messages: Record<string, unknown>[] } | undefined)?.messages ?? [];
}
