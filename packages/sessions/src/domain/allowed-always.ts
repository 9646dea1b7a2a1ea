import { CommandRefusedError } from "./session-command.ts";
import { configurationIn } from "./session-configuration.ts";
import type { EventOf } from "./session-event.ts";
import type { SessionState } from "./session-state.ts";

/** So many tools a session can allow; the first ones are asked about again then. */
const MOST_TOOLS = 200;

/** That a tool of an agent may be called from now on without asking; all else of the configuration stays. */
export function allowedAlways(
  { config }: Pick<SessionState, "config">,
  { agent, tool }: EventOf<"approval_requested">,
  decision: EventOf<"approval_answered">["decision"],
): EventOf<"config_changed"> {
  if (tool === undefined || decision !== "approved")
    throw new CommandRefusedError(
      "invalid",
      "Only the use of a tool can be allowed always: leave `always` out",
    );
  const { allowedTools = [] } = configurationIn(config);
  const others = allowedTools.filter((one) => one.agent !== agent || one.tool !== tool);
  const added = { ...(agent !== undefined && { agent }), tool };
  return {
    type: "config_changed",
    config: { ...config, allowedTools: [...others, added].slice(-MOST_TOOLS) },
  };
}
