import { z } from "zod";
import type { Json } from "../protocol/model.ts";
import type { ExtensionMember } from "./extension-member.ts";

const json: z.ZodType<Json> = z.json();

/** A tool that is about to be called; recorded before it runs. */
export const toolCall = {
  name: "toolCall",
  schema: z.object({
    id: z.string().min(1),
    tool: z.string().min(1),
    arguments: json,
  }),
} satisfies ExtensionMember<unknown>;

export type ToolCall = z.infer<typeof toolCall.schema>;
