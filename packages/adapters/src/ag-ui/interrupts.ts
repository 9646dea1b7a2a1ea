import type { Interrupt, ResumeEntry } from "@ag-ui/core";
import type { Approval, EventOf } from "@parley/sessions";
import { z } from "zod";
import type { ApprovalAnswer } from "../conversations/approval-answers.ts";
import { invalid } from "../problem.ts";
import type { SubAgentRef } from "./encoding/sub-agent-encoder.ts";

// Without `additionalProperties`: assistant-ui asks by itself only where no word of a schema could refuse its answer.
const APPROVAL = {
  type: "object",
  properties: {
    approved: { type: "boolean", description: "Whether the tool may be used" },
    editedArgs: { type: "object", description: "Arguments in place of those that were asked about" },
    reason: { type: "string", description: "What the agent is told with it" },
    always: { type: "boolean", description: "In this session this tool is not asked about again" },
  },
  required: ["approved"],
};

const QUESTION = {
  type: "object",
  properties: { text: { type: "string", description: "The answer to the question" } },
  required: ["text"],
};

/** A question as an AG-UI interrupt. */
export function interruptOf(
  asked: EventOf<"approval_requested">,
  { toolCallId, ...whose }: SubAgentRef & { readonly toolCallId?: string | undefined },
): Interrupt {
  const { approvalId, question, tool, arguments: given, agent } = asked;
  const about = { tool, arguments: given, agent };
  return {
    ...{ id: approvalId, reason: tool === undefined ? "input_required" : "tool_call", message: question },
    ...(toolCallId !== undefined && { toolCallId }),
    ...{ responseSchema: tool === undefined ? QUESTION : APPROVAL, metadata: { parley: about }, ...whose },
  };
}

const text = z.string().max(100_000);
const approvalObject = z.strictObject({
  approved: z.boolean(),
  editedArgs: z.record(z.string(), z.unknown()).optional(),
  reason: text.optional(),
  text: text.optional(),
  always: z.boolean().optional(),
});
const approvalPayload = z.union([
  z.boolean().transform((approved): z.infer<typeof approvalObject> => ({ approved })),
  approvalObject,
]);
const answerPayload = z.union([text.transform((words) => ({ text: words })), z.strictObject({ text })]);

/** The answer in a resume entry; `place` is the entry's path in the input. */
export function answerInResume(
  { interruptId: approvalId, status, payload }: ResumeEntry,
  { request }: Pick<Approval, "request">,
  place: string,
): ApprovalAnswer {
  if (status === "cancelled") return { approvalId, decision: "denied" };
  if (request.tool === undefined) {
    const answer = answerPayload.safeParse(payload);
    if (!answer.success) throw invalid(`${place}.payload`, "must be a text, or an object with a text");
    return { approvalId, decision: "answered", text: answer.data.text };
  }
  const answer = approvalPayload.safeParse(payload);
  if (!answer.success)
    throw invalid(
      `${place}.payload`,
      "must be an object with approved, and maybe editedArgs, reason, always",
    );
  const { approved, editedArgs, always, reason, text: words = reason } = answer.data;
  const decision = approved ? "approved" : "denied";
  return { approvalId, decision, text: words, arguments: editedArgs, always };
}
