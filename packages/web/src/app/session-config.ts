import type { Configuration, SyncState } from "@parley/client";

/**
 * The configuration of a session that is open, as it will be when all that is on its way has arrived; undefined where
 * it is not known. It is always replaced as a whole.
 */
export function sessionConfig({ open, queue }: SyncState, sessionId: string): Configuration | undefined {
  return queue
    .filter(({ command, phase }) => command.sessionId === sessionId && phase.name !== "refused")
    .reduce(
      (config, { command }) => (command.type === "change" ? (command.config ?? config) : config),
      open[sessionId]?.record.config,
    );
}
