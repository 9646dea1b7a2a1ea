import { createHash } from "node:crypto";
import { SUPERVISOR } from "@parley/supervisor";
import { z } from "zod";
import { Conversations } from "../../../api/conversations.ts";
import type { RegisteredAgent } from "../../../api/schemas/agent-schemas.ts";
import { followedFrom } from "../../followed-run.ts";
import { followedAgain } from "../../run-beginning.ts";
import { checkStreamable } from "../../run-stream.ts";
import { callKey } from "../call-key.ts";
import type { CalledRun, McpCaller, ToolCall } from "../mcp-caller.ts";
import { answerSchema } from "../run-answer.ts";
import { givenFile, storedIds } from "./given-files.ts";
import { type McpTool, mcpTool, sessionArgument } from "./mcp-tool.ts";

const PREFIX = "ask_";
/** As long as models let the name of a tool be. */
const LONGEST_NAME = 64;
const HASH_CHARACTERS = 8;
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
  return askTool(name, told.slice(0, LONGEST_DESCRIPTION).toWellFormed());
}

/** The name of the tool that asks an agent; what is too long for one is cut, and stays an agent's own. */
export function askName(agent: string): string {
  const name = `${PREFIX}${agent}`;
  if (name.length <= LONGEST_NAME) return name;
  const hash = createHash("sha256").update(agent).digest("hex").slice(0, HASH_CHARACTERS);
  return `${name.slice(0, LONGEST_NAME - HASH_CHARACTERS - 1)}-${hash}`;
}

function askTool(agent: string, description: string): McpTool {
  return mcpTool({
    ...{ name: askName(agent), title: `Ask ${agent}`, description },
    ...{ input: askSchema, output: answerSchema },
    // What an agent does is the agent's; what changes something asks a person first.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    run: (caller, given, call) => ask(caller, agent, given, call),
  });
}

async function ask(
  caller: McpCaller,
  agent: string,
  given: z.infer<typeof askSchema>,
  call: ToolCall,
): Promise<CalledRun> {
  const { api, principal, client } = caller;
  const conversations = new Conversations(api);
  const { message: content, session, files } = given;
  const key = callKey(client, call, [agent, given]);
  checkStreamable(api, principal);
  const attached = files && (await storedIds(api.files, principal, files));
  // A conversation that an agent was asked in directly goes on with it, at every door.
  const own = agent === SUPERVISOR ? {} : { agent };
  const sessionId = session ?? (await conversations.create(principal, own, key)).id;
  const asking = { content, agent, ...(attached && { files: attached }) };
  const asked = await conversations.post(principal, sessionId, asking, key);
  const { state, run, message } = asked;
  if (run.messageId === message.id) return { ...followedFrom(asked), messageId: message.id };
  // The run under way was told: what it waits for, it may have asked before.
  const followed = await followedAgain(api.sessions, principal, state, run.id);
  return { ...followed, answers: message.id, messageId: message.id };
}
