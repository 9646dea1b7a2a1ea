import { z } from "zod";
import type { Json } from "../protocol/model.ts";
import type { ExtensionMember } from "./extension-member.ts";

const json: z.ZodType<Json> = z.json();

/** Asks a person whether a tool may be called with just these arguments. */
export const approvalRequest = {
  name: "approvalRequest",
  schema: z.object({
    id: z.string().min(1),
    tool: z.string().min(1),
    arguments: json.exactOptional(),
    /** Binds the answer to the arguments that were shown. */
    argumentsHash: z.string().min(1),
    reason: z.string().exactOptional(),
  }),
} satisfies ExtensionMember<unknown>;

export type ApprovalRequest = z.infer<typeof approvalRequest.schema>;

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
