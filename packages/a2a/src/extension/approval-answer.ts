import { z } from "zod";
import type { Json } from "../protocol/model.ts";
import type { ExtensionMember } from "./extension-member.ts";

const json: z.ZodType<Json> = z.json();

/** What the person said; it holds for the tool and the arguments of the request alone. */
export const approvalAnswer = {
  name: "approvalAnswer",
  schema: z.object({
    id: z.string().min(1),
    decision: z.enum(["approved", "denied"]),
    /** What to call the tool with instead of what was shown. */
    arguments: json.exactOptional(),
    tool: z.string().min(1),
    argumentsHash: z.string().min(1),
    note: z.string().exactOptional(),
  }),
} satisfies ExtensionMember<unknown>;

export type ApprovalAnswer = z.infer<typeof approvalAnswer.schema>;
