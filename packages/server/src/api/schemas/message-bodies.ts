import { z } from "@hono/zod-openapi";
import { MAX_MESSAGE_FILE_BYTES, MAX_MESSAGE_FILES } from "@parley/sessions";
import { chosenId, pathId } from "./parameters.ts";

/** The text of a message; longer text belongs into a file. */
export const content = z.string().max(500_000);

/** Ids of uploaded files. */
export const fileIds = z
  .array(z.string().regex(/^[0-9a-f]{64}$/, "must be the id of a file"))
  .max(MAX_MESSAGE_FILES)
  .describe(`Up to ${MAX_MESSAGE_FILE_BYTES} bytes in total; a file that is named twice counts once`);

export const agentName = z.string().min(1).max(200);

/** The id, name or tag of a skill; the best agent that is up and has it is chosen. */
export const skill = z.string().min(1).max(200);

/** Whether the agent's thoughts are stored with its answer. */
export const thinking = z
  .boolean()
  .describe("Store what the agent thinks; by default as the session is configured, which is off unless set");

const message = z.strictObject({ content, files: fileIds.optional() });

const isNotEmpty = ({ content: text, files = [] }: z.output<typeof message>) =>
  text.trim() !== "" || files.length > 0;
const EMPTY = { path: ["content"], message: "must not be empty unless there are files" };

export const newMessageSchema = message
  .extend({
    id: chosenId.optional(),
    agent: agentName.optional(),
    skill: skill.optional(),
    thinking: thinking.optional(),
  })
  .refine(isNotEmpty, EMPTY)
  .openapi("NewMessage");

export const comparisonSchema = message
  .extend({
    agents: z.array(agentName).max(8).default([]).describe("Each answers in its own fork"),
    branches: z
      .array(pathId)
      .max(8)
      .default([])
      .describe("Sessions, such as forks of this one, that get the message"),
    thinking: thinking.optional(),
  })
  .refine(isNotEmpty, EMPTY)
  .refine(({ agents, branches }) => agents.length + branches.length > 0, {
    path: ["agents"],
    message: "must name an agent unless branches names a session",
  })
  .refine(({ branches }) => new Set(branches).size === branches.length, {
    path: ["branches"],
    message: "must not name a session twice",
  })
  .openapi("NewComparison");
