import { z } from "@hono/zod-openapi";
import { MAX_MESSAGE_FILE_BYTES, MAX_MESSAGE_FILES } from "@parley/sessions";
import { chosenId, pathId } from "./parameters.ts";

/** What a message says; what is longer belongs into a file. */
export const content = z.string().max(500_000);

/** Files that were uploaded before. */
export const fileIds = z
  .array(z.string().regex(/^[0-9a-f]{64}$/, "must be the id of a file"))
  .max(MAX_MESSAGE_FILES)
  .openapi({
    description: `Together up to ${MAX_MESSAGE_FILE_BYTES} bytes; one that is named twice counts once`,
  });

const said = z.strictObject({
  content,
  files: fileIds.optional(),
});

const hasSomething = (message: { content: string; files?: string[] | undefined }) =>
  message.content.trim() !== "" || (message.files?.length ?? 0) > 0;
const EMPTY = { path: ["content"], message: "must say something, or come with a file" };

const agent = z.string().min(1).max(200);

/** What an agent must be able to do: the id, the name or a tag of a skill; the best of those that are up is asked. */
export const skill = z.string().min(1).max(200);

/** Whether what the agent thinks is kept with this answer. */
export const thinking = z
  .boolean()
  .openapi({ description: "Without it, as the session's configuration says; there, off by default" });

export const newMessageSchema = said
  .extend({
    id: chosenId.optional(),
    agent: agent.optional(),
    skill: skill.optional(),
    thinking: thinking.optional(),
  })
  .refine(hasSomething, EMPTY)
  .openapi("NewMessage");

export const comparisonSchema = said
  .extend({
    agents: z.array(agent).max(8).default([]).openapi({ description: "Each answers in a fork of its own" }),
    branches: z
      .array(pathId)
      .max(8)
      .default([])
      .openapi({ description: "Sessions, such as forks of this one, in which the message is posted" }),
    thinking: thinking.optional(),
  })
  .refine(hasSomething, EMPTY)
  .refine(({ agents, branches }) => agents.length + branches.length > 0, {
    ...{ path: ["agents"], message: "must name an agent, or branches a session" },
  })
  .refine(({ branches }) => new Set(branches).size === branches.length, {
    ...{ path: ["branches"], message: "must name each session once" },
  })
  .openapi("NewComparison");
