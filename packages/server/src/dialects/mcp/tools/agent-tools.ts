import { SUPERVISOR } from "@parley/supervisor";
import { z } from "zod";
import { Conversations } from "../../../api/conversations.ts";
import type { RegisteredAgent } from "../../../api/schemas/agent-schemas.ts";
import { type FollowedRun, followedFrom } from "../../followed-run.ts";
import { callKey } from "../call-key.ts";
import type { McpCaller, ToolCall } from "../mcp-caller.ts";
import { answerSchema } from "../run-answer.ts";
import { givenFile, storedIds } from "./given-files.ts";
import { type McpTool, mcpTool, sessionArgument } from "./mcp-tool.ts";

const PREFIX = "ask_";
/** What an agent says of itself is its own, and may be long. */
const LONGEST_DESCRIPTION = 4_000;

const askSchema = z.strictObject({
  message: z.string().min(1).max(500_000).describe("What to ask, with all that the agent needs to know"),
  session: sessionArgument
    .optional()
    .describe("The conversation to go on with: `session` of an earlier answer. Without it, a new one begins"),
  files: z.array(givenFile).max(20).optional().describe("Files to show to the agent"),
});

/** The supervisor as a tool. */
export const supervisorTool = askTool(
  SUPERVISOR,
  "Asks Parley's supervisor, which plans, hands the work to the agents that can do it, several at once where that helps, and answers.",
);

/** An agent of the registry as a tool: what it can do, as its card says. */
export function agentTool({ name, description = "", skills = [] }: RegisteredAgent): McpTool {
  const listed = skills.map((skill) => {
    const example = skill.examples?.[0];
    return `- ${skill.name}: ${skill.description}${example === undefined ? "" : ` (for example: ${example})`}`;
  });
  const told = [`Asks the agent ${name} directly. ${description}`.trim(), ...listed].join("\n");
  return askTool(name, told.slice(0, LONGEST_DESCRIPTION));
}

/** The agent that a tool's name is for; undefined: it is no agent's. */
export function agentNamed(tool: string): string | undefined {
  return tool.startsWith(PREFIX) ? tool.slice(PREFIX.length) : undefined;
}

function askTool(agent: string, description: string): McpTool {
  return mcpTool({
    ...{ name: `${PREFIX}${agent}`, title: `Ask ${agent}`, description },
    ...{ input: askSchema, output: answerSchema },
    // What an agent does is the agent's; what changes something asks a person first.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    run: (caller, given, call) => ask(caller, agent, given, call),
  });
}

async function ask(
  caller: McpCaller,
  agent: string,
  { message: content, session, files }: z.infer<typeof askSchema>,
  call: ToolCall,
): Promise<FollowedRun> {
  const { api, principal, client } = caller;
  const conversations = new Conversations(api);
  const key = callKey(client, call, content);
  const attached = files && (await storedIds(api.files, principal, files));
  // A conversation that an agent was asked in directly goes on with it, at every door.
  const own = agent === SUPERVISOR ? {} : { agent };
  const sessionId = session ?? (await conversations.create(principal, own, key)).id;
  const asking = { content, agent, ...(attached && { files: attached }) };
  return followedFrom(await conversations.post(principal, sessionId, asking, key));
}
