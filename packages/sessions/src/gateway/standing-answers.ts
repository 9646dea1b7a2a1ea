import { configurationIn } from "../domain/session-configuration.ts";
import type { EventOf, SessionEvent } from "../domain/session-event.ts";

/** The answers to those of these questions that the session's configuration has answered for good. */
export function standingAnswers(
  events: readonly SessionEvent[],
  config: Readonly<Record<string, unknown>>,
): readonly EventOf<"approval_answered">[] {
  const { allowedTools = [] } = configurationIn(config);
  const isAllowed = ({ agent, tool }: EventOf<"approval_requested">) =>
    tool !== undefined && allowedTools.some((allowed) => allowed.agent === agent && allowed.tool === tool);
  return events
    .filter((event) => event.type === "approval_requested")
    .filter(isAllowed)
    .map(({ runId, approvalId }) => ({
      type: "approval_answered",
      runId,
      approvalId,
      decision: "approved",
      always: true,
    }));
}
