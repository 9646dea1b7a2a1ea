import { createHash } from "node:crypto";
import { SUPERVISOR } from "@parley/registry";
import type { Principal } from "@parley/sessions";
import { z } from "zod";
import type { AskableAgent, Files } from "../../adapter-host.ts";
import { Conversations } from "../../conversations/conversations.ts";
import { decodeBase64 } from "../../conversations/data-url.ts";
import { followFromNow, followFromStart } from "../../followed-run.ts";
import { invalid } from "../../problem.ts";
import { checkCanStream } from "../../run-stream.ts";
import { callKey } from "../call-tokens.ts";
import type { CalledRun, McpCaller, McpToolCall } from "../mcp-caller.ts";
import { answerSchema } from "../run-answer.ts";
import { type McpTool, mcpTool, sessionArgument } from "./mcp-tool.ts";

const PREFIX = "ask_";
/** The longest tool name that models accept. */
const MAX_NAME = 64;
const HASH_CHARACTERS = 8;
const MAX_DESCRIPTION = 4_000;

/** A file as an argument: its content, or the id of a stored file. */
export const givenFile = z
  .strictObject({
    id: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "must be the id of a file")
      .optional()
      .describe("Of a file that was uploaded, or that an agent made"),
    name: z.string().min(1).max(200).optional(),
    mediaType: z.string().min(1).max(200).optional().describe("For example text/csv"),
    text: z.string().optional().describe("Its content, where that is text"),
    base64: z.string().optional().describe("Its content, where that is not text"),
  })
  .refine(({ id, text, base64 }) => [id, text, base64].filter((given) => given !== undefined).length === 1, {
    message: "must have one of id, text and base64",
  });

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

/** An agent of the registry as a tool, described by its card. */
export function agentTool({ name, description = "", skills = [] }: AskableAgent): McpTool {
  const listed = skills.map((skill) => {
    const example = skill.examples?.[0];
    return `- ${skill.name}: ${skill.description}${example === undefined ? "" : ` (for example: ${example})`}`;
  });
  const text = [`Asks the agent ${name} directly. ${description}`.trim(), ...listed].join("\n");
  return askTool(name, text.slice(0, MAX_DESCRIPTION).toWellFormed());
}

/** The name of the tool that asks an agent; a long one is truncated, and made unique by a hash. */
export function askName(agent: string): string {
  const name = `${PREFIX}${agent}`;
  if (name.length <= MAX_NAME) return name;
  const hash = createHash("sha256").update(agent).digest("hex").slice(0, HASH_CHARACTERS);
  return `${name.slice(0, MAX_NAME - HASH_CHARACTERS - 1)}-${hash}`;
}

function askTool(agent: string, description: string): McpTool {
  return mcpTool({
    ...{ name: askName(agent), title: `Ask ${agent}`, description },
    ...{ input: askSchema, output: answerSchema },
    // Nobody knows what an agent does; calls that change something ask a person first.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    run: (caller, given, call) => ask(caller, agent, given, call),
  });
}

async function ask(
  caller: McpCaller,
  agent: string,
  given: z.infer<typeof askSchema>,
  call: McpToolCall,
): Promise<CalledRun> {
  const { host, principal, client } = caller;
  const conversations = new Conversations(host);
  const { message: content, session, files } = given;
  const key = callKey(client, call, [agent, given]);
  checkCanStream(host, principal);
  const attached = files && (await storedIds(host.files, principal, files));
  // A session with an agent of its own goes on with that agent, by every protocol.
  const own = agent === SUPERVISOR ? {} : { agent };
  const sessionId = session ?? (await conversations.create(principal, own, key)).id;
  const asking = { content, agent, ...(attached && { files: attached }) };
  const asked = await conversations.post(principal, sessionId, asking, key);
  const { state, run, message } = asked;
  if (run.messageId === message.id) return { ...followFromNow(asked), messageId: message.id };
  // The active run received it, and may wait for an earlier question.
  const followed = await followFromStart(host.sessions, principal, state, run.id);
  return { ...followed, answers: message.id, messageId: message.id };
}

/** Stores the files for the principal and returns their ids. */
export function storedIds(
  files: Files,
  principal: Principal,
  given: readonly z.infer<typeof givenFile>[],
): Promise<string[]> {
  return Promise.all(
    given.map(async ({ id, name = "file", mediaType, text, base64 }, place) => {
      if (id !== undefined) return id;
      const content = text === undefined ? decodeBase64(base64 ?? "") : Buffer.from(text);
      if (!content) throw invalid(`arguments.files.${place}.base64`, "must be Base64");
      const type = mediaType ?? (text === undefined ? "application/octet-stream" : "text/plain");
      return (await files.put(principal, { name, mediaType: type, content })).blob;
    }),
  );
}
