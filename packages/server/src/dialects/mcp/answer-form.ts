import { CommandRefusedError } from "@parley/sessions";
import { Problem } from "../../api/problem.ts";
import { answerIn, elicited } from "./approval-form.ts";
import type { McpCaller } from "./mcp-caller.ts";
import { McpError } from "./mcp-error.ts";

/** Records what a client's user answered to a form; a question that has its answer already keeps that one. */
export async function answerForm(
  { api, principal, identity }: McpCaller,
  { sessionId, approvalId }: { readonly sessionId: string; readonly approvalId: string },
  given: unknown,
): Promise<void> {
  if (identity.role === "viewer")
    throw new Problem("forbidden", "Viewers only read: somebody else has to answer");
  const { success, data, error } = elicited.safeParse(given);
  if (!success) {
    const [issue] = error.issues;
    throw new McpError(-32_602, `${issue?.path.join(".")}: ${issue?.message}`, { status: 400 });
  }
  const { approvals } = await api.sessions.state(principal, sessionId);
  const asked = approvals.get(approvalId);
  if (!asked) throw new CommandRefusedError("not_found", `There is no approval ${approvalId}`);
  if (asked.answer) return;
  const command = { type: "answerApproval", approvalId, ...answerIn(asked.request, data) } as const;
  try {
    await api.sessions.execute(principal, sessionId, command);
  } catch (error) {
    if (!(error instanceof CommandRefusedError && error.code === "conflict")) throw error;
  }
}
